// What ComfyUI's frontend reads in files: read_as_comfyui.mjs PACKAGE FILE... prints a JSON array, null where it takes none.
// `sentTexts` are the prompts that it would send of the workflow. Its functions stand in bundles that need a browser; they run
// alone, with stubs for what the bundles import.
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

/// What the bundle with that text gives: `result`, after its code up to the end of `text`, or all of it.
function run(folder, text, isAll, result) {
    let source = '';
    for (const name of fs.readdirSync(folder).filter((each) => each.endsWith('.js'))) {
        source = fs.readFileSync(path.join(folder, name), 'utf8');
        if (source.includes(text)) break;
    }
    if (!source.includes(text)) throw new Error(`no bundle in ${folder} has ${text}`);
    const imported = [];
    const code = source.slice(0, isAll ? source.lastIndexOf('export{') : source.indexOf(text) + text.length)
        .replace(/import\{([^}]*)\}from"[^"]*";/g, (_, names) => {
            imported.push(...names.split(',').map((name) => name.split(' as ').pop()));
            return '';
        })
        .replace(/import"[^"]*";/g, '')
        .replaceAll('import.meta.url', '""');
    const globals = {window: {}, FileReader, TextDecoder, DecompressionStream, EventTarget, ArrayBuffer, Uint8Array, DataView, URL,
                     console: {...console, log: console.error}, document: anything, navigator: anything, location: anything,
                     localStorage: anything, sessionStorage: anything, HTMLElement: EventTarget, CustomEvent: EventTarget,
                     requestAnimationFrame: anything, stubs: imported.map(() => anything)};
    return vm.runInNewContext(`(function (${imported.join(',')}) {${code}\nreturn ${result};}).apply(null, stubs)`, globals);
}

const [folder, ...files] = process.argv.slice(2);
const assets = path.join(folder, 'static/assets');
const read = run(assets, PARSER, false, 'window.comfyAPI.parser.getWorkflowDataFromFile');
const sentText = run(assets, 'function processDynamicPrompt(', true, 'processDynamicPrompt');

/// Texts of prompts as the editor sends them once it has opened the workflow.
function sentTexts({workflow}) {
    const {nodes} = typeof workflow === 'string' ? JSON.parse(workflow) : workflow ?? {nodes: []};
    return nodes.filter((node) => node.type === 'CLIPTextEncode').map((node) => sentText(node.widgets_values[0])).sort();
}

const found = [];
for (const file of files) {
    const blob = new Blob([fs.readFileSync(file)], {type: TYPES[file.split('.').pop()]});
    blob.name = path.basename(file);
    const texts = await read(blob);
    found.push(texts ? {...texts, sentTexts: sentTexts(texts)} : null);
}
console.log(JSON.stringify(found));
