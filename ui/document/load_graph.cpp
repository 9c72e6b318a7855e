#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/document.hpp"
#include "ui/document/comfy_workflow.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>

#include <optional>

namespace lowtide::ui {

namespace {

struct Loading {
    Q_DECLARE_TR_FUNCTIONS(Loading)
};

}  // namespace

graph::Document loadGraph(const QString& path) {
    const files::InputFile file(QFile::encodeName(path).toStdString());
    const std::string text = graph::readGraphText(file);
    try {
        return graph::parseDocument(text);
    } catch (const Error& error) {
        if (const std::optional<ComfyWorkflow> workflow = comfyWorkflow(text)) {
            throw Error(
                ErrorKind::Unsupported,
                quotedName(file.name()) + ": " + comfyRefusal(*workflow).toStdString(),
                Loading::tr("Build the graph here; the node search finds nodes by the names "
                            "that they have in ComfyUI.")
                    .toStdString());
        }
        throw Error(error.kind(),
                    quotedName(file.name()) + ": " + error.message().str(),
                    error.hint(),
                    error.item());
    }
}

}  // namespace lowtide::ui
