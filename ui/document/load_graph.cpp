#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/picture_texts.hpp"
#include "ui/document/comfy_workflow.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>

#include <algorithm>
#include <array>
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
constexpr std::string_view kGraphKey = "lowtide_graph";

bool isPictureFile(const files::InputFile& file) {
    std::array<std::byte, image::kPictureBeginBytes> begin{};
    const auto there = std::min<Bytes>(file.identity().size, begin.size());
    const std::span seen = std::span(begin).first(static_cast<size_t>(there));
    file.read(seen, 0);
    return image::beginsAsPicture(seen);
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
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    const std::vector<image::PictureText> texts = image::readPictureTexts(source, file.name());
    const auto text = std::ranges::find(texts, kGraphKey, &image::PictureText::key);
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
    if (isPictureFile(file)) {
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
