#include "plugin/base/error.hpp"
#include "ui/door/os.hpp"
#include "ui/door/plugin_door.hpp"
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

int runStudio(QApplication& application, const StudioArguments& arguments) {
    const Places places = standardPlaces();
    Settings settings(places.settings);
    Appearance appearance;
    appearance.use(settings.preferences().theme);
    StudioWindow window({.open = [&]() -> Plugin& {
                             return door::startPlugin({.threads = arguments.threads,
                                                       .modelFolders = engineFolders(
                                                           settings.preferences(), arguments)});
                         },
                         .places = places,
                         .arguments = arguments},
                        settings,
                        appearance);
    fitToScreen(window);
    window.show();
    return application.exec();
}

}  // namespace

int main(int count, char** words) {
    door::keepBigBlocks();
    door::shortenSpins();
    QApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(count, words);
    QApplication::setApplicationName(QStringLiteral("lowtide-studio"));
    QApplication::setApplicationVersion(QStringLiteral(LOWTIDE_VERSION));
    const ParsedArguments parsed = parseArguments(QApplication::arguments());
    if (!parsed.output.isEmpty()) {
        std::fputs(qPrintable(parsed.output), parsed.exitCode == 0 ? stdout : stderr);
        return parsed.exitCode;
    }
    return runStudio(application, parsed.arguments);
}
