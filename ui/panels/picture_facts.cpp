#include "ui/panels/picture_facts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"

#include <QCoreApplication>
#include <QFileInfo>

namespace lowtide::ui {

namespace {

constexpr qsizetype kLongest = 20000;

class FactWords {
    Q_DECLARE_TR_FUNCTIONS(PictureFacts)
};

QString shortened(const std::string& text) {
    const QString all = QString::fromStdString(text);
    return all.size() <= kLongest ? all
                                  : FactWords::tr("%1 ... (%2 characters in all)")
                                        .arg(all.left(kLongest))
                                        .arg(all.size());
}

QString graphFact(const std::string& text) {
    try {
        const graph::Document document = graph::parseDocument(text);
        return FactWords::tr("nodes: %1").arg(document.nodes.size());
    } catch (const Error& error) {
        return FactWords::tr("cannot be opened: %1").arg(QString::fromStdString(error.message()));
    }
}

QString pixelsText(const QSize& size) {
    return FactWords::tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
}

QString sizeFact(const LoadedPicture& picture) {
    const QSize shown = picture.levels.front().size();
    return picture.size.isEmpty() || picture.size == shown
               ? pixelsText(shown)
               : FactWords::tr("%1, shown with %2")
                     .arg(pixelsText(picture.size), pixelsText(shown));
}

}  // namespace

std::vector<PictureFact> factsOf(const LoadedPicture& picture) {
    std::vector<PictureFact> facts;
    if (!picture.levels.empty()) {
        facts.push_back({FactWords::tr("Size"), sizeFact(picture)});
    }
    if (!picture.path.isEmpty()) {
        facts.push_back({FactWords::tr("File"), QFileInfo(picture.path).fileName()});
    }
    if (const std::string graph = picture.graphText(); !graph.empty()) {
        facts.push_back({FactWords::tr("Graph"), graphFact(graph)});
    }
    for (const image::PictureText& text : picture.texts) {
        facts.push_back({QString::fromStdString(text.key), shortened(text.text)});
    }
    return facts;
}

}  // namespace lowtide::ui
