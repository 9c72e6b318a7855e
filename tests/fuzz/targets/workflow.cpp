#include "plugin/base/text.hpp"
#include "plugin/interop/export.hpp"
#include "plugin/interop/import.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/interop/sample_nodes.hpp"

#include <set>

namespace lowtide::fuzz::workflow_target {

namespace {

using namespace interop;

const ClassTable& table() {
    static const ClassTable kTable = readClassTable(sourceFolder() + "/resources");
    return kTable;
}

const SamplerNames& samplerNames() {
    static const SamplerNames kNames = readSamplerNames(sourceFolder() + "/resources");
    return kNames;
}

/// Nothing leads to a node that is not there, and what is reported to run is there.
void checkGraph(const Imported& imported) {
    const graph::Document& document = imported.document;
    for (const graph::Link& link : document.links) {
        require(document.nodes.contains(link.from.node), "a wire begins at a node");
        require(document.nodes.contains(link.to.node), "a wire ends at a node");
    }
    for (const std::string& id : imported.report.runs) {
        require(document.nodes.contains(id), "what runs is a node");
    }
    const std::string saved = graph::toText(document);
    require(graph::toText(graph::parseDocument(saved)) == saved,
            "the graph is saved the same again");
    require(isValidUtf8(toJson(imported.report).dump()), "the report is UTF-8");
}

/// What an import made is written, or refused; what is written can be read.
void checkExport(const graph::Document& document) {
    Exported exported;
    const bool isWritten = takes({ErrorKind::InvalidInput}, [&] {
        exported = exportGraph(document, importCatalog(), table());
    });
    if (!isWritten || exported.prompt.nodes.empty()) {
        return;
    }
    const Prompt sent = readPrompt(apiPrompt(exported.prompt), table());
    const Prompt edited = readPrompt(editorWorkflow(exported.prompt, table()), table());
    require(sent.nodes.size() == edited.nodes.size(), "both forms have the same nodes");
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    (void)isForeign(text);
    Imported imported;
    const ImportNeeds needs{
        .catalog = importCatalog(), .table = table(), .imageSize = {}, .findFile = {}};
    if (!takes({ErrorKind::Corrupt, ErrorKind::InvalidInput},
               [&] { imported = importText(text, samplerNames(), needs); })) {
        return false;
    }
    checkGraph(imported);
    checkExport(imported.document);
    return true;
}

[[maybe_unused]] const bool isEntered = enterTarget("workflow", runInput);

}  // namespace lowtide::fuzz::workflow_target
