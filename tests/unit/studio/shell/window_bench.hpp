#pragma once

#include "tests/fixtures/input.hpp"
#include "tests/fixtures/spoken_language.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/studio/studio_window.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>
#include <functional>
#include <optional>

namespace lowtide::ui {

inline constexpr int kPatience = 20000;

/// A window with its folders, as main makes it.
struct Opened {
    explicit Opened(OpenModule open, bool isFirst = false, const QString& graph = {})
        : settings(folder.filePath("s.json")), graph_(graph) {
        settings.change([&](Preferences& preferences) {
            preferences.isFirstStartDone = !isFirst;
            preferences.theme = "light";
            preferences.language = test::spokenLanguage();
        });
        make(std::move(open));
    }

    void make(OpenModule open, const DesktopAddresses& desktop = {}) {
        window.emplace(StudioSetup{.open = std::move(open),
                                   .appFolders = {.resources = folder.filePath("resources"),
                                                  .settings = folder.filePath("s.json"),
                                                  .presets = folder.filePath("presets"),
                                                  .nodes = folder.filePath("nodes.json"),
                                                  .journals = folder.filePath("journal"),
                                                  .backups = folder.filePath("backups"),
                                                  .wildcards = folder.filePath("wildcards"),
                                                  .styles = folder.filePath("styles.json"),
                                                  .runs = folder.filePath("runs"),
                                                  .pasted = folder.filePath("pasted"),
                                                  .models = folder.filePath("model_notes"),
                                                  .images = folder.filePath("pictures")},
                                   .arguments = {.graph = graph_},
                                   .desktop = desktop},
                       settings,
                       appearance);
        window->show();
    }

    [[nodiscard]] Workspace& work() { return *window->workspace(); }

    [[nodiscard]] MainWindowWidgets& widgets() { return window->controller()->widgets(); }

    QTemporaryDir folder;
    Settings settings;
    Appearance appearance;
    std::optional<StudioWindow> window;

private:
    QString graph_;
};

/// The same with a module of the test, ready.
struct Working : Opened {
    Working() : Opened([this]() -> Plugin& { return plugin; }) {
        QTRY_VERIFY_WITH_TIMEOUT(window->controller() && !work().file.isBusy(), kPatience);
        test::bringToFront(*window);
    }

    ~Working() { window.reset(); }  // before the module

    [[nodiscard]] QAction& action(const char* id) { return window->actions().at(id); }

    [[nodiscard]] GraphModel& model() { return work().model; }

    SmallPlugin plugin;
};

/// Whether Escape and the button of its frame close it, as Qt's documentation of
/// QMessageBox::escapeButton() has it.
inline bool canBeLeft(const QMessageBox& box) {
    const auto countOf = [&box](QMessageBox::ButtonRole role) {
        return std::ranges::count_if(
            box.buttons(), [&](QAbstractButton* button) { return box.buttonRole(button) == role; });
    };
    return box.escapeButton() || box.buttons().size() == 1 || box.button(QMessageBox::Cancel) ||
           countOf(QMessageBox::RejectRole) == 1 || countOf(QMessageBox::NoRole) == 1;
}

/// Presses a button of the dialog that opens next.
inline void answer(const char* dialog, const std::function<void(QDialog&)>& act) {
    auto* look = new QTimer(qApp);
    QObject::connect(look, &QTimer::timeout, qApp, [look, dialog, act] {
        auto* box = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        if (!box) {
            return;
        }
        look->stop();
        look->deleteLater();
        QCOMPARE(box->objectName(), QString(dialog));
        QCOMPARE(test::textProblems(*box), QStringList());
        if (const auto* question = qobject_cast<QMessageBox*>(box)) {
            QVERIFY(canBeLeft(*question));
        }
        act(*box);
    });
    look->start(20);
}

}  // namespace lowtide::ui
