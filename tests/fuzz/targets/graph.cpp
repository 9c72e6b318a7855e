#include "plugin/base/text.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/graph/snapshot.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/graph/sample_graph.hpp"

namespace lowtide::fuzz::graph_target {

namespace {

using namespace graph;

void checkIssues(const Issues& issues) {
    for (const Issue& issue : issues) {
        requireReadable(Error(ErrorKind::InvalidInput, issue.message, issue.hint),
                        {ErrorKind::InvalidInput});
    }
}

/// Without an error a graph can be run; its text in images is a graph again.
void checkRun(const Document& document) {
    static const Catalog catalog(sampleNodes());
    const Issues issues = validate(document, catalog);
    checkIssues(issues);
    std::shared_ptr<const Snapshot> snapshot;
    const bool isTaken =
        takes({ErrorKind::InvalidInput}, [&] { snapshot = makeSnapshot(document, catalog); });
    require(isTaken == !hasErrors(issues), "a graph without an error can be run");
    if (isTaken) {
        require(!snapshot->nodes.empty(), "a run has nodes");
        (void)parseDocument(snapshot->graphText);
    }
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Document document;
    if (!takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
               [&] { document = parseDocument(text); })) {
        return false;
    }
    const std::string saved = toText(document);
    require(toText(parseDocument(saved)) == saved, "a saved graph is saved the same again");
    checkRun(document);
    return true;
}

[[maybe_unused]] const bool isEntered = enterTarget("graph", runInput);

}  // namespace lowtide::fuzz::graph_target
