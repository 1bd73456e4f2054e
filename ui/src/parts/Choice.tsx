// One of a few: radio buttons drawn as a row of segments.

import { useId } from 'preact/hooks';

interface Props<T extends string> {
  label: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void; hidden?: boolean;
}

export function Choice<T extends string>({ label, value, options, onChange, hidden }: Props<T>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class={hidden ? 'unseen' : ''}>{label}</legend>
      <div class="segments">
        {options.map(([key, words]) => (
          <label key={key} class={key === value ? 'chosen' : ''}>
            <input type="radio" name={name} value={key} checked={key === value} onChange={() => onChange(key)} />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SelectProps<T extends string> {
  label: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void;
}

export function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([key, words]) => <option key={key} value={key}>{words}</option>)}
      </select>
    </label>
  );
}
