// What ComfyUI's frontend reads in files: read_as_comfyui.mjs PACKAGE FILE... prints a JSON array, null where it takes none.
// The parser stands in a bundle that needs a browser; it runs alone, with stubs for what the bundle imports.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const TYPES = {png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', mp4: 'video/mp4', webm: 'video/webm'};
const PARSER = 'window.comfyAPI.parser.getWorkflowDataFromFile=getWorkflowDataFromFile';

class FileReader {
    async readAsArrayBuffer(blob) {
        this.result = await blob.arrayBuffer();
        this.onload({target: this});
    }
}

/// Stands for anything of the browser or of another bundle that is used before the parser is there.
const anything = new Proxy(function () {}, {
    get: (_, key) => {
        if (key === Symbol.toPrimitive) return () => '';
        if (key === Symbol.iterator) return function* () {};
        return key === 'prototype' ? {} : anything;
    },
    apply: () => anything,
    construct: () => anything,
});

function loadParser(folder) {
    const sources = fs.readdirSync(folder).filter((name) => name.endsWith('.js'))
        .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
    const source = sources.find((text) => text.includes(PARSER));
    if (!source) throw new Error(`no bundle in ${folder} has ${PARSER}`);
    const imported = [];
    const code = source.slice(0, source.indexOf(PARSER) + PARSER.length)
        .replace(/import\{([^}]*)\}from"[^"]*";/g, (_, names) => {
            imported.push(...names.split(',').map((name) => name.split(' as ').pop()));
            return '';
        })
        .replace(/import"[^"]*";/g, '')
        .replaceAll('import.meta.url', '""');
    const window = {};
    const globals = {window, FileReader, TextDecoder, DecompressionStream, EventTarget, ArrayBuffer, Uint8Array, DataView,
                     console: {...console, log: console.error}, document: anything, navigator: anything, location: anything,
                     localStorage: anything, sessionStorage: anything, HTMLElement: EventTarget, CustomEvent: EventTarget,
                     requestAnimationFrame: anything, stubs: imported.map(() => anything)};
    vm.runInNewContext(`(function (${imported.join(',')}) {${code}\n}).apply(null, stubs)`, globals);
    return window.comfyAPI.parser.getWorkflowDataFromFile;
}

const [folder, ...files] = process.argv.slice(2);
const read = loadParser(path.join(folder, 'static/assets'));
const found = [];
for (const file of files) {
    const blob = new Blob([fs.readFileSync(file)], {type: TYPES[file.split('.').pop()]});
    blob.name = path.basename(file);
    found.push(await read(blob) ?? null);
}
console.log(JSON.stringify(found));
