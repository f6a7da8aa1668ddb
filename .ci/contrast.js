// Texts whose contrast with their ground is below 4.5 (WCAG 2.2, success criterion 1.4.3).
const numbers = (color) => color.match(/[\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = numbers(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const found = new Set();
for (const element of document.querySelectorAll("body *")) {
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!hasText || !element.checkVisibility() || element.disabled || element.closest(".unseen, .skip, script")) continue;
  const style = getComputedStyle(element);
  if (Number.parseFloat(style.fontSize) === 0) continue;
  const [a, b] = [luminance(numbers(style.color)), luminance(ground(element))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) found.add(`${element.tagName}.${element.className} ${style.color}`);
}
return [...found];
