import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GoodGuest } from '../../src/extension/goodGuest';
import { Emitter } from '../../src/extension/emitter';
import type { GuestSettings, PowerReading } from '../../src/extension/model/guestRules';
import { GuestRules } from '../../src/extension/model/guestRules';
import type { HoldReason, IndexState } from '../../src/extension/model/indexState';
import { guestSettings } from '../../src/extension/model/settingsValues';
import {
  foreignLoad,
  loadFromAverage,
  powerFromPmset,
  powerFromSupplies,
} from '../../src/extension/model/systemReadings';
import { nullLogger } from '../../src/util/logger';

const usual: GuestSettings = { pauseOnBattery: 'saver', pauseWhenBusy: true };
const battery = (change: Partial<PowerReading> = {}): PowerReading => ({
  onBattery: true,
  saver: false,
  charge: 80,
  ...change,
});

test('the battery is spared with the saver on or a low charge, and as the setting says', () => {
  const verdict = (power: PowerReading, settings: GuestSettings = usual) => new GuestRules().note({ power }, settings);
  assert.equal(verdict(battery()), undefined);
  assert.equal(verdict(battery({ saver: true })), 'battery');
  assert.equal(verdict(battery({ charge: 20 })), 'battery');
  assert.equal(verdict(battery({ charge: 21 })), undefined);
  assert.equal(verdict({ onBattery: false, saver: true, charge: 5 }), undefined);
  assert.equal(verdict(battery(), { ...usual, pauseOnBattery: 'always' }), 'battery');
  assert.equal(verdict(battery({ saver: true }), { ...usual, pauseOnBattery: 'never' }), undefined);
});

test('a machine is busy when it lasts, and calm when it lasts', () => {
  const rules = new GuestRules();
  const seen = (...loads: number[]) => loads.map(load => rules.note({ load }, usual));
  assert.deepEqual(seen(0.9, 1, 0.5), [undefined, undefined, undefined]);
  assert.deepEqual(seen(0.9, 0.9, 0.9), [undefined, undefined, 'busy']);
  assert.deepEqual(seen(0.5, 0.7, 0.1, 0.1), ['busy', 'busy', 'busy', 'busy']);
  assert.deepEqual(seen(0.1), [undefined]);
});

test('load is not looked at where the setting says so, or the platform does not tell', () => {
  const rules = new GuestRules();
  for (let look = 0; look < 5; look++)
    assert.equal(rules.note({ load: 1 }, { ...usual, pauseWhenBusy: false }), undefined);
  for (let look = 0; look < 5; look++) assert.equal(rules.note({}, usual), undefined);
});

test('odd settings become the defaults', () => {
  assert.deepEqual(guestSettings({ pauseOnBattery: 'sometimes', pauseWhenBusy: 'x' }), usual);
  assert.deepEqual(guestSettings({ pauseOnBattery: 'never', pauseWhenBusy: false }), {
    pauseOnBattery: 'never',
    pauseWhenBusy: false,
  });
});

test('the load of others leaves out the time of low-priority work', () => {
  const before = { nice: 0, idle: 0, used: 0 };
  assert.equal(foreignLoad(before, { nice: 60, idle: 20, used: 20 }), 0.2);
  assert.equal(foreignLoad(before, { nice: 0, idle: 0, used: 10 }), 1);
  assert.equal(foreignLoad(before, before), undefined);
  assert.equal(loadFromAverage(4, 2, 4), 0.5);
  assert.equal(loadFromAverage(1, 2, 4), 0);
});

test('Linux: a battery of the machine counts, one of a mouse does not, and mains win', () => {
  const own = { type: 'Battery', status: 'Discharging', capacity: '42' };
  const mouse = { type: 'Battery', scope: 'Device', status: 'Discharging', capacity: '3' };
  assert.equal(powerFromSupplies([mouse, { type: 'Mains', online: '1' }], ''), undefined);
  assert.deepEqual(powerFromSupplies([own, mouse, { type: 'Mains', online: '0' }], 'low-power'), {
    onBattery: true,
    saver: true,
    charge: 42,
  });
  assert.equal(powerFromSupplies([own, { type: 'USB', online: '1' }], 'balanced')?.onBattery, false);
  assert.equal(powerFromSupplies([{ type: 'Battery', status: 'Full' }], '')?.onBattery, false);
});

test('macOS: what pmset says', () => {
  const drawing = (from: string) =>
    `Now drawing from '${from}'\n -InternalBattery-0 (id=1)\t57%; discharging; 4:05 remaining present: true\n`;
  assert.deepEqual(powerFromPmset(drawing('Battery Power'), ' lowpowermode         1\n'), {
    onBattery: true,
    saver: true,
    charge: 57,
  });
  assert.deepEqual(powerFromPmset(drawing('AC Power'), ' lowpowermode         0\n'), {
    onBattery: false,
    saver: false,
    charge: 57,
  });
  assert.equal(powerFromPmset("Now drawing from 'AC Power'\n", ''), undefined);
  assert.equal(powerFromPmset('', ''), undefined);
});

const indexing = (left: number, held?: HoldReason): IndexState => ({
  engine: { kind: 'running' },
  paused: false,
  ...(held === undefined ? {} : { held }),
  roots: [
    {
      name: 'a',
      state: {
        kind: 'open',
        status: {
          folder: '/a',
          state: left === 0 ? 'ready' : 'indexing',
          done: 0,
          total: left,
          complete: 0,
          files: 9,
          problems: 0,
          reason: '',
          vectors: true,
        },
      },
    },
  ],
});

/** A guest over a machine whose readings the test sets; `look` is what the clock would cause. */
function guestOf() {
  const changed = new Emitter<IndexState>();
  const machine: { power: PowerReading | undefined; load: number } = { power: undefined, load: 0 };
  let left = 0;
  let held: HoldReason | undefined;
  let timers = 0;
  const announce = (): void => changed.fire(indexing(left, held));
  const guest = new GoodGuest({
    controller: {
      get state() {
        return indexing(left, held);
      },
      onDidChange: listener => changed.on(listener),
      setHeld: reason => {
        held = reason;
        announce();
      },
    },
    probe: { power: () => Promise.resolve(machine.power), load: () => machine.load },
    settings: () => usual,
    logger: nullLogger,
    every: () => {
      timers++;
      return { dispose: () => timers-- };
    },
  });
  const work = async (sections: number): Promise<void> => {
    left = sections;
    announce();
    await new Promise(resolve => setImmediate(resolve));
  };
  const looks = async (count: number): Promise<void> => {
    for (let look = 0; look < count; look++) await guest.look();
  };
  return { guest, machine, work, looks, held: () => held, timers: () => timers };
}

test('the machine is looked at only while there is long work', async () => {
  const { work, timers } = guestOf();
  assert.equal(timers(), 0);
  await work(10);
  assert.equal(timers(), 0);
  await work(5000);
  assert.equal(timers(), 1);
  await work(0);
  assert.equal(timers(), 0);
});

test('long work waits on a spared battery from the first look on, a save does not', async () => {
  const { machine, work, held } = guestOf();
  machine.power = battery({ saver: true });
  await work(10);
  assert.equal(held(), undefined);
  await work(5000);
  assert.equal(held(), 'battery');
});

test('work goes on when the battery is plugged in', async () => {
  const { machine, work, looks, held } = guestOf();
  machine.power = battery({ saver: true });
  await work(5000);
  machine.power = { onBattery: false, saver: true };
  await looks(6);
  assert.equal(held(), undefined);
});

test('work waits for a busy machine and goes on when it is calm', async () => {
  const { machine, work, looks, held, timers } = guestOf();
  await work(5000);
  machine.load = 1;
  await looks(3);
  assert.equal(held(), 'busy');
  assert.equal(timers(), 1, 'it goes on looking while it waits');
  machine.load = 0;
  await looks(3);
  assert.equal(held(), undefined);
});

test('the user can have it go on, until the reason has gone and comes again', async () => {
  const { guest, machine, work, looks, held } = guestOf();
  await work(5000);
  machine.load = 1;
  await looks(3);
  guest.overrule();
  assert.equal(held(), undefined);
  await looks(5);
  assert.equal(held(), undefined);
  machine.load = 0;
  await looks(3);
  machine.load = 1;
  await looks(3);
  assert.equal(held(), 'busy');
});
