#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/png_texts.hpp"
#include "ui/document/comfy_workflow.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace lowtide::ui {

namespace {

struct Loading {
    Q_DECLARE_TR_FUNCTIONS(Loading)
};

/// Ten thousand nodes take about 6 MiB.
constexpr Bytes kLargestGraph = 32 * kMiB;
constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kGraphKey = "lowtide_graph";

bool isPng(const files::InputFile& file) {
    std::string begin(kPngSignature.size(), '\0');
    if (file.identity().size < static_cast<Bytes>(begin.size())) {
        return false;
    }
    file.read(std::as_writable_bytes(std::span(begin)), 0);
    return begin == kPngSignature;
}

void refuseLarger(const files::InputFile& file, Bytes limit) {
    if (file.identity().size > limit) {
        throw Error(ErrorKind::Unsupported,
                    Loading::tr("“%1” has %2 MiB, a graph has at most %3 MiB")
                        .arg(QString::fromStdString(file.name()))
                        .arg(file.identity().size / kMiB)
                        .arg(limit / kMiB)
                        .toStdString(),
                    Loading::tr("Check that this is the file you meant.").toStdString());
    }
}

std::string graphWithin(const files::InputFile& file) {
    const std::vector<image::PngText> texts = image::readPngTexts(
        [&](std::span<std::byte> target, int64_t offset) { file.read(target, offset); },
        file.identity().size,
        file.name());
    const auto text = std::find_if(texts.begin(), texts.end(), [](const image::PngText& entry) {
        return entry.key == kGraphKey;
    });
    if (text == texts.end()) {
        throw Error(ErrorKind::NotFound,
                    Loading::tr("the picture “%1” carries no graph")
                        .arg(QString::fromStdString(file.name()))
                        .toStdString(),
                    Loading::tr("Only pictures that this program saved carry one; other programs "
                                "often drop it.")
                        .toStdString());
    }
    return text->text;
}

std::string textOf(const files::InputFile& file) {
    if (isPng(file)) {
        return graphWithin(file);
    }
    refuseLarger(file, kLargestGraph);
    return file.readAll(kLargestGraph);
}

}  // namespace

graph::Document loadGraph(const QString& path) {
    const files::InputFile file(QFile::encodeName(path).toStdString());
    const std::string text = textOf(file);
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
                    quotedName(file.name()) + ": " + error.message(),
                    error.hint(),
                    error.item());
    }
}

}  // namespace lowtide::ui
