#pragma once

#include "tests/journey/studio/hands.hpp"

#include <QWidget>

#include <string>

namespace lowtide::testing {

/// A studio that is brought to what a page shows of it, and its images. A test fails where
/// something is not there, or a text of an image does not fit.
class Scene {
public:
    explicit Scene(StudioSession& studio) : studio_(studio), hands_(studio) {}

    [[nodiscard]] StudioSession& studio() { return studio_; }

    [[nodiscard]] Hands& hands() { return hands_; }

    /// As if the graph was saved, so that nothing is asked, and opens that preset.
    void openPreset(const QString& id);
    void setParam(const char* node, const char* param, const Json& value);
    void setPolicy(const char* node, const char* policy);
    /// "cpu", "fake:4GiB".
    void runOn(const std::string& device);
    /// Waits until the plan is that of the graph as it stands.
    void waitForPlan();
    /// Runs the graph; it must end well.
    ui::QueuedRun run();
    /// Waits until no run is at work nor waits.
    void waitForRuns();
    void showPanel(const char* panel);
    /// Shows it as a window of its own, which "view.reset" ends; what is in it.
    QWidget& floatPanel(const char* panel, const QSize& size);
    /// The window takes keys, as it does when a user clicks it.
    void activate();
    /// Takes the panels below the middle away until one is shown.
    void hidePanelsBelow();
    /// What stands in the middle, with its tabs.
    [[nodiscard]] QWidget& middle();

    /// Keeps an image of the widget in every appearance, when it has come to rest: "gallery.png",
    /// "gallery_dark.png"; with the language and the scale of this process in the name where they
    /// are others than English and 1. `open`: opens a popup that lies over it, or
    /// changes what is shown (nullptr).
    void keep(
        QWidget& shown, const QString& name, const std::function<QWidget*()>& open = [] {
            return nullptr;
        });

private:
    StudioSession& studio_;
    Hands hands_;
};

}  // namespace lowtide::testing
