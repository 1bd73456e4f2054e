// Files for the visitor's disk, named so that they are found again: by day and players.

/** `20261116_Aoi_Ren.kif`: what no file system takes is replaced. */
export function fileName(day: string, names: readonly (string | undefined | null)[], format: string): string {
  const parts = [day, ...names].map((part) => (part ?? '').trim().replace(/[\\/:*?"<>|\s.\u0000-\u001f]+/g, '_').replace(/^_+|_+$/g, '').slice(0, 40));
  return `${parts.filter((part) => part !== '').join('_')}.${format}`;
}

/** The day of a moment, as file names have it. */
export function dayOf(moment: number | Date): string {
  const date = new Date(moment);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
}

/** The day a record's header names, as written in any of the formats; null where there is none. */
export function dayIn(text: string | undefined): string | null {
  const found = /(\d{4})\D{1,2}(\d{1,2})\D{1,2}(\d{1,2})/.exec(text ?? '');
  return found ? `${found[1]}${found[2]?.padStart(2, '0')}${found[3]?.padStart(2, '0')}` : null;
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
