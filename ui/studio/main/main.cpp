#include "ui/door/os.hpp"
#include "ui/door/plugin_door.hpp"
#include "ui/studio/event_loop.hpp"
#include "ui/studio/qt_messages.hpp"
#include "ui/studio/studio_window.hpp"

#include <QApplication>
#include <QScreen>

#include <cstdio>

namespace {

using namespace lowtide;
using namespace lowtide::ui;

/// A screen that is smaller than the window, or as small, is filled by it.
void fitToScreen(StudioWindow& window) {
    const QSize room = window.screen()->availableSize();
    if (room.width() <= window.width() || room.height() <= window.height()) {
        window.setWindowState(Qt::WindowMaximized);
    }
}

int runStudio(const StudioArguments& arguments) {
    const Places places = standardPlaces();
    Settings settings(places.settings);
    Appearance appearance;
    appearance.use(settings.preferences().theme);
    // The engine starts on a thread of its own, while the window may change the settings.
    StudioWindow window(
        {.open = [preferences = settings.preferences(), arguments]() -> Plugin& {
             return door::startPlugin({.threads = arguments.threads,
                                       .modelFolders = engineFolders(preferences, arguments)});
         },
         .places = places,
         .arguments = arguments,
         .desktop = standardDesktop()},
        settings,
        appearance);
    fitToScreen(window);
    window.show();
    return runEventLoop();
}

}  // namespace

int main(int count, char** words) {
    door::keepBigBlocks();
    door::shortenSpins();
    QApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    logQtMessages();
    QApplication application(count, words);
    QApplication::setApplicationName(QStringLiteral("lowtide-studio"));
    QApplication::setApplicationVersion(QStringLiteral(LOWTIDE_VERSION));
    const ParsedArguments parsed = parseArguments(QApplication::arguments());
    if (!parsed.output.isEmpty()) {
        std::fputs(qPrintable(parsed.output), parsed.exitCode == 0 ? stdout : stderr);
        return parsed.exitCode;
    }
    return runStudio(parsed.arguments);
}
