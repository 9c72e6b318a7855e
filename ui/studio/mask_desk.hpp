#pragma once

#include "ui/bridge/background.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/viewer.hpp"
#include "ui/studio/notice_bar.hpp"
#include "ui/studio/places.hpp"
#include "ui/studio/unused_pictures.hpp"
#include "ui/studio/workspace.hpp"

#include <QObject>

#include <memory>

namespace lowtide::ui {

/// Writes what a person made of the viewer's picture, and wires the graph to it: masks, crops,
/// pictures that were extended. Files lie beside the graph, or with those that were pasted, until a
/// person removes those that nothing uses.
class MaskDesk : public QObject {
    Q_OBJECT

public:
    /// All but `places` must outlive it.
    MaskDesk(Workspace& workspace,
             GraphView& canvas,
             Viewer& viewer,
             NoticeBar& notices,
             const Places& places,
             QObject* parent);

    /// Ends at once where that is done already.
    void toggle(Retouching::Work work);
    /// Asks before anything goes; where some user of files cannot be read, nothing does.
    void removeUnused();

Q_SIGNALS:
    /// The graph fills a mask now, or the person is told why not.
    void graphShown();
    void presetsAsked();

private:
    void use(const QString& picture, const QImage& mask);
    void wire(const QString& picture, const QString& mask, const QSize& size);
    void frame(const QImage& picture, const QRect& frame, int overlap);
    void keep(const QImage& picture, Retouching::Work work);
    void showThen(const QString& path, Retouching::Work work, const QString& ofKept = {});
    void askRuns(const QString& graph, const std::shared_ptr<PicturesBeside>& found);
    void offerUnused(const QString& graph, const PicturesBeside& found);
    void moveAway(const QFileInfoList& files);
    /// Names that the open graph, its steps, the queue and the viewer hold.
    [[nodiscard]] UsedNames usedHere() const;
    void refuse(const QString& problem);
    /// Where files go: the first that can be written.
    [[nodiscard]] QStringList folders() const;
    /// As the graph names it: relative where it lies beside it.
    [[nodiscard]] std::string named(const QString& path) const;

    Workspace& workspace_;
    GraphView& canvas_;
    Viewer& viewer_;
    NoticeBar& notices_;
    const Places places_;
    Background background_;
};

}  // namespace lowtide::ui
