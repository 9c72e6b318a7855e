#include "cli/commands.hpp"
#include "cli/foreign_graph.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/interop/export.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <cstdio>
#include <span>

namespace lowtide::cli {

Status exportGraph(const ExportArguments& arguments) {
    const std::string text = readGraph(arguments.graph);
    if (interop::isForeign(text)) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} is of another program already", quotedName(arguments.graph)),
                    message("name a graph of Lowtide; lowtide import makes one of it"));
    }
    const std::span<const NodeDesc> nodes = loader::startPlugin({}).nodes();
    const graph::Catalog catalog({nodes.begin(), nodes.end()});
    const interop::ClassTable classes = interop::readClassTable(loader::resourcesFolder());
    const interop::Exported exported =
        interop::exportGraph(documentOf(text, catalog, arguments), catalog, classes);
    interop::requireComplete(exported);
    const Json json = arguments.workflow ? interop::editorWorkflow(exported.prompt, classes)
                                         : interop::apiPrompt(exported.prompt);
    files::writeFileAtomically(arguments.out, json.dump(2) + "\n");
    std::printf("%s", reportText(exported.report).c_str());
    return Status::Ok;
}

}  // namespace lowtide::cli
