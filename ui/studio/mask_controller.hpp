#pragma once

#include "ui/bridge/background.hpp"
#include "ui/document/prompt_regions.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/unused_images.hpp"

#include <QObject>

#include <memory>

namespace lowtide::ui {

/// Writes what the user made of the viewer's image, and wires the graph to it: masks, crops,
/// images that were extended. Files lie next to the graph, or with those that were pasted, until
/// the user removes those that nothing uses.
class MaskController : public QObject {
    Q_OBJECT

public:
    /// `widgets` must outlive it.
    explicit MaskController(MainWindowWidgets& widgets);

private:
    void connectActions();
    /// Asks before anything goes; where some user of files cannot be read, nothing does.
    void removeUnused();
    void use(const QString& image, const QImage& mask);
    void wire(const QString& image, const QString& mask, const QSize& size);
    /// Asks for the prompt, and wires the graph to it.
    void useRegion(const QString& name, const QRect& rect, const QImage& mask);
    void wireRegion(const PromptRegion& region);
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

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    Viewer& viewer_;
    NoticeBar& notices_;
    const AppFolders appFolders_;
    Background background_;
};

}  // namespace lowtide::ui
