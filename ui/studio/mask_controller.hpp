#pragma once

#include "ui/bridge/background.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/viewer.hpp"
#include "ui/studio/app_folders.hpp"
#include "ui/studio/notice_bar.hpp"
#include "ui/studio/unused_images.hpp"
#include "ui/studio/workspace.hpp"

#include <QObject>

#include <memory>

namespace lowtide::ui {

/// Writes what the user made of the viewer's image, and wires the graph to it: masks, crops,
/// images that were extended. Files lie next to the graph, or with those that were pasted, until
/// the user removes those that nothing uses.
class MaskController : public QObject {
    Q_OBJECT

public:
    /// All but `appFolders` must outlive it.
    MaskController(Workspace& workspace,
                   GraphView& canvas,
                   Viewer& viewer,
                   NoticeBar& notices,
                   const AppFolders& appFolders,
                   QObject* parent);

    /// Ends at once where that is done already.
    void toggle(Retouching::Work work);
    /// Asks before anything goes; where some user of files cannot be read, nothing does.
    void removeUnused();

Q_SIGNALS:
    /// The graph fills a mask now, or the user is notified why not.
    void graphShown();
    void presetsAsked();

private:
    void use(const QString& image, const QImage& mask);
    void wire(const QString& image, const QString& mask, const QSize& size);
    void frame(const QImage& image, const QRect& frame, int overlap);
    void keep(const QImage& image, Retouching::Work work);
    void showThen(const QString& path, Retouching::Work work, const QString& ofKept = {});
    void askRuns(const QString& graph, const std::shared_ptr<SiblingImages>& found);
    void offerUnused(const QString& graph, const SiblingImages& found);
    void moveAway(const QFileInfoList& files);
    /// Names that the open graph, its steps, the queue and the viewer hold.
    [[nodiscard]] UsedNames usedHere() const;
    void refuse(const QString& problem);
    /// Where files go: the first that can be written.
    [[nodiscard]] QStringList folders() const;
    /// As the graph names it: relative where it lies next to it.
    [[nodiscard]] std::string named(const QString& path) const;

    Workspace& workspace_;
    GraphView& canvas_;
    Viewer& viewer_;
    NoticeBar& notices_;
    const AppFolders appFolders_;
    Background background_;
};

}  // namespace lowtide::ui
