import type { Plot } from './report';

const WIDTH = 760;
const HEIGHT = 420;
const MARGIN = { left: 70, right: 40, top: 40, bottom: 48 };
const LEGEND_LINE = 18;
/** Told apart by people who see colours differently, too (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

interface Axis {
  readonly ticks: readonly number[];
  /** From 0 to 1. */
  readonly share: (value: number) => number;
}

/** Draws lines with points, axes and a legend. */
export function svgPlot({ title, x, y, series }: Plot): string {
  const points = series.flatMap(one => one.points);
  const across = axis(
    points.map(point => point.x),
    x.log === true,
  );
  const up = axis(
    points.map(point => point.y),
    y.log === true,
  );
  const height = HEIGHT + series.length * LEGEND_LINE;
  const left = (value: number): number => MARGIN.left + across.share(value) * (WIDTH - MARGIN.left - MARGIN.right);
  const top = (value: number): number =>
    HEIGHT - MARGIN.bottom - up.share(value) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const grid = [
    ...across.ticks.map(tick => vertical(left(tick), shown(tick))),
    ...up.ticks.map(tick => horizontal(top(tick), shown(tick))),
  ];
  const lines = series.map(({ points: line }, at) => {
    const colour = COLOURS[at % COLOURS.length] ?? '#000000';
    const places = line.map(point => `${round(left(point.x))},${round(top(point.y))}`);
    const dots = places.map(place => place.split(',')).map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3"/>`);
    return `<g fill="${colour}" stroke="${colour}"><polyline fill="none" stroke-width="2" points="${places.join(' ')}"/>${dots.join('')}</g>`;
  });
  const legend = series.map(({ name }, at) => {
    const row = HEIGHT + at * LEGEND_LINE;
    const colour = COLOURS[at % COLOURS.length] ?? '#000000';
    return `<rect x="${MARGIN.left}" y="${row - 9}" width="18" height="4" fill="${colour}"/>${text(MARGIN.left + 26, row, name)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(MARGIN.left, 22, `${title} (${y.label} by ${x.label})`, 'font-size="15"'),
    ...grid,
    ...lines,
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}

function axis(values: readonly number[], isLog: boolean): Axis {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (isLog && least > 0) {
    const low = Math.floor(Math.log10(least));
    const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
    const ticks = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
    return { ticks, share: value => (Math.log10(value) - low) / (high - low) };
  }
  const step = niceStep((most - least || Math.abs(most) || 1) / 5);
  const low = Math.floor(least / step);
  const high = Math.max(low + 1, Math.ceil(most / step));
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => (low + at) * step);
  return { ticks, share: value => (value / step - low) / (high - low) };
}

/** 1, 2 or 5 times a power of ten, at least as large as the given step. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 5, 10].find(factor => factor * power >= step) ?? 10) * power;
}

function vertical(at: number, label: string): string {
  const bottom = HEIGHT - MARGIN.bottom;
  return `<path d="M${round(at)} ${MARGIN.top}V${bottom}" stroke="#dddddd"/>${text(at, bottom + 18, label, 'text-anchor="middle"')}`;
}

function horizontal(at: number, label: string): string {
  return `<path d="M${MARGIN.left} ${round(at)}H${WIDTH - MARGIN.right}" stroke="#dddddd"/>${text(MARGIN.left - 8, at + 4, label, 'text-anchor="end"')}`;
}

function text(left: number, top: number, content: string, more = ''): string {
  const escaped = content.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `<text x="${round(left)}" y="${round(top)}"${more === '' ? '' : ` ${more}`}>${escaped}</text>`;
}

function shown(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString('en');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
