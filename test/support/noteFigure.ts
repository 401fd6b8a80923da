import { appendFileSync } from 'node:fs';

/** Hands a measured number, in milliseconds, to the bench that runs this test; does nothing without one. */
export function noteFigure(name: string, value: number): void {
  const file = process.env['LANDMARK_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, value })}\n`);
}
