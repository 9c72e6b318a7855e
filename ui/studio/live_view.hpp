#pragma once

#include "ui/studio/workspace.hpp"

#include <QObject>
#include <QString>

#include <string>

namespace lowtide::ui {

class Viewer;

/// Lets the viewer show what a run is making, and at its end what it made.
class LiveView : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it.
    LiveView(Workspace& workspace, Viewer& viewer, QObject* parent = nullptr);

private:
    void follow(const std::string& node);
    void end(quint64 run);
    [[nodiscard]] QString titleOf(const std::string& node, const PictureStep& step) const;

    Workspace& workspace_;
    Viewer& viewer_;
    std::string followed_;  ///< the node whose previews are shown
};

}  // namespace lowtide::ui
