#include "ui/panels/picture_facts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <string_view>

namespace lowtide::ui {

namespace {

constexpr qsizetype kLongest = 20000;
constexpr const char* kGraphText = "lowtide_graph";

class FactWords {
    Q_DECLARE_TR_FUNCTIONS(PictureFacts)
};

QString shortened(const std::string& text) {
    const QString all = QString::fromStdString(text);
    return all.size() <= kLongest ? all
                                  : FactWords::tr("%1 ... (%2 characters in all)")
                                        .arg(all.left(kLongest), QString::number(all.size()));
}

QString graphFact(const std::string& text) {
    try {
        const graph::Document document = graph::parseDocument(text);
        return FactWords::tr("%n nodes", nullptr, static_cast<int>(document.nodes.size()));
    } catch (const Error& error) {
        return FactWords::tr("cannot be opened: %1").arg(errorText(error));
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

/// What every container of a video says of itself.
bool isOfContainer(const std::string& key) {
    constexpr std::array<std::string_view, 7> kKeys = {"compatible_brands",
                                                       "duration",
                                                       "handler_name",
                                                       "language",
                                                       "major_brand",
                                                       "minor_version",
                                                       "vendor_id"};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

/// What a text of the file is called for people; a key of another program stays as it is.
QString nameOf(const std::string& key) {
    return key == kGraphText            ? FactWords::tr("Graph as text")
           : key == "lowtide_precision" ? FactWords::tr("Precision")
           : key == "parameters"        ? FactWords::tr("Parameters")
                                        : QString::fromStdString(key);
}

void addVideo(const video::VideoHeader& video, std::vector<PictureFact>& facts) {
    facts.push_back({FactWords::tr("Frames"), QString::number(video.frames)});
    if (video.rate > 0) {
        facts.push_back({FactWords::tr("Rate"),
                         FactWords::tr("%1 fps").arg(QString::number(video.rate, 'g', 5))});
        facts.push_back(
            {FactWords::tr("Length"), secondsText(static_cast<double>(video.frames) / video.rate)});
    }
}

}  // namespace

std::vector<PictureFact> factsOf(const LoadedPicture& picture) {
    std::vector<PictureFact> facts;
    if (!picture.levels.empty()) {
        facts.push_back({FactWords::tr("Size"), sizeFact(picture)});
    }
    if (picture.video) {
        addVideo(*picture.video, facts);
    }
    if (!picture.path.isEmpty()) {
        facts.push_back({FactWords::tr("File"), QFileInfo(picture.path).fileName()});
    }
    if (const std::string graph = picture.graphText(); !graph.empty()) {
        facts.push_back({FactWords::tr("Graph"), graphFact(graph)});
    }
    for (const image::PictureText& text : picture.texts) {
        if (!picture.video || !isOfContainer(text.key)) {
            facts.push_back({nameOf(text.key), shortened(text.text)});
        }
    }
    return facts;
}

}  // namespace lowtide::ui
