#pragma once

#include "ui/bridge/background.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/viewer.hpp"
#include "ui/studio/notice_bar.hpp"
#include "ui/studio/workspace.hpp"

#include <QObject>

namespace lowtide::ui {

/// Writes what a person made of the viewer's picture, and wires the graph to it: masks, crops,
/// pictures that were extended. Files lie beside the graph, or with those that were pasted.
class MaskDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive it. `pasted`: the folder of pictures that came through the clipboard.
    MaskDesk(Workspace& workspace,
             GraphView& canvas,
             Viewer& viewer,
             NoticeBar& notices,
             const QString& pasted,
             QObject* parent);

    /// Ends at once where that is done already.
    void toggle(Retouching::Work work);

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
    /// Where files go: the first that can be written.
    [[nodiscard]] QStringList folders() const;
    /// As the graph names it: relative where it lies beside it.
    [[nodiscard]] std::string named(const QString& path) const;

    Workspace& workspace_;
    GraphView& canvas_;
    Viewer& viewer_;
    NoticeBar& notices_;
    QString pasted_;
    Background background_;
};

}  // namespace lowtide::ui
