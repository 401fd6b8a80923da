import * as vscode from 'vscode';

/** A button of a list: in its title, or as a switch inside its box. */
export interface PickButton {
  /** Name of a product icon. */
  readonly icon: string;
  /** Also what a screen reader calls it. */
  readonly tooltip: string;
  /** Given for a switch: whether it is on. */
  readonly checked?: boolean;
  readonly press: () => void;
  /** What the editor has of it, once it is shown. */
  readonly shown?: vscode.QuickInputButton;
}

/** Newer than the oldest editor that is supported, see `showButtons`. */
interface Switch extends vscode.QuickInputButton {
  readonly location?: number;
  readonly toggle?: { readonly checked: boolean };
}

/** `QuickInputButtonLocation.Input`: inside the box, at its end. */
const INSIDE = 3;

/**
 * Shows buttons. Switches are real ones with a state where the editor has them; an older
 * one that refuses them gets plain buttons, and the title of the list alone tells which are on.
 * @returns the buttons with what the editor will name when one is pressed.
 */
export function showButtons(
  pick: vscode.QuickPick<vscode.QuickPickItem>,
  buttons: readonly PickButton[],
): PickButton[] {
  const plain = buttons.map((button): PickButton => ({ ...button, shown: shownButton(button) }));
  const withSwitches = plain.map((button): PickButton => {
    if (button.checked === undefined) return button;
    const shown: Switch = { ...shownButton(button), location: INSIDE, toggle: { checked: button.checked } };
    return { ...button, shown };
  });
  try {
    pick.buttons = withSwitches.flatMap(({ shown }) => shown ?? []);
    return withSwitches;
  } catch {
    pick.buttons = plain.flatMap(({ shown }) => shown ?? []);
    return plain;
  }
}

function shownButton({ icon, tooltip }: PickButton): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}
