#pragma once

#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/studio/studio_window.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>
#include <QtWidgets>

#include <optional>
#include <utility>

namespace lowtide::ui {

inline constexpr int kWindowPatience = 20000;

/// A window with its folders, as main makes it.
struct Opened {
    explicit Opened(OpenModule open, bool isFirst = false) : settings(folder.filePath("s.json")) {
        settings.change([&](Preferences& preferences) {
            preferences.isFirstStartDone = !isFirst;
            preferences.theme = "light";
        });
        make(std::move(open));
    }

    void make(OpenModule open) {
        window.emplace(StudioSetup{.open = std::move(open),
                                   .places = {.resources = folder.filePath("resources"),
                                              .settings = folder.filePath("s.json"),
                                              .presets = folder.filePath("presets"),
                                              .nodes = folder.filePath("nodes.json"),
                                              .journals = folder.filePath("journal"),
                                              .backups = folder.filePath("backups"),
                                              .pictures = folder.filePath("pictures")},
                                   .arguments = {}},
                       settings,
                       appearance);
        window->show();
    }

    QTemporaryDir folder;
    Settings settings;
    Appearance appearance;
    std::optional<StudioWindow> window;
};

/// The same with a module of the test, ready.
struct Working : Opened {
    Working() : Opened([this]() -> Plugin& { return plugin; }) {
        QTRY_VERIFY_WITH_TIMEOUT(window->desk(), kWindowPatience);
    }

    ~Working() { window.reset(); }  // before the module

    [[nodiscard]] QAction& action(const char* id) { return window->actions().at(id); }

    [[nodiscard]] GraphModel& model() { return window->workspace()->model; }

    SmallPlugin plugin;
};

}  // namespace lowtide::ui
