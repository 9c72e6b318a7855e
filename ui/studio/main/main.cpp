#include "ui/loader/os.hpp"
#include "ui/loader/plugin_loader.hpp"
#include "ui/studio/appearance.hpp"
#include "ui/studio/end_signals.hpp"
#include "ui/studio/event_loop.hpp"
#include "ui/studio/studio_window.hpp"

#include <QDeadlineTimer>
#include <QScreen>

#include <cmath>
#include <cstdio>
#include <optional>

namespace {

using namespace lowtide;
using namespace lowtide::ui;

/// Milliseconds that the first window may wait for the portal, however often it is asked.
constexpr int kPortalPatience = 500;

/// A screen that is smaller than the window, or as small, is filled by it.
void fitToScreen(StudioWindow& window) {
    const QSize available = window.screen()->availableSize();
    if (available.width() <= window.width() || available.height() <= window.height()) {
        window.setWindowState(Qt::WindowMaximized);
    }
}

int runStudio(const StudioArguments& arguments,
              const AppFolders& appFolders,
              Settings& settings,
              Desktop& desktop) {
    Appearance appearance;
    appearance.follow(desktop);
    appearance.useMotion(settings.preferences().motion);
    appearance.use(settings.preferences().theme);
    // The engine starts on a thread of its own, while the window may change the settings.
    StudioWindow window(
        {.open = [preferences = settings.preferences(), arguments]() -> Plugin& {
             return loader::startPlugin({.threads = arguments.threads,
                                         .modelFolders = engineFolders(preferences, arguments)});
         },
         .appFolders = appFolders,
         .arguments = arguments,
         .desktop = standardDesktop()},
        settings,
        appearance);
    window.restoreGeometry(settings.preferences().windowGeometry);
    fitToScreen(window);
    window.show();
    const EndSignals signals;
    QObject::connect(&signals, &EndSignals::asked, &window, &QWidget::close);
    return runEventLoop();
}

/// An application whose interface has the size that the user wants. Qt takes the factor when it
/// starts and the desktop can be asked only then, so where it is not 1 it starts again, before any
/// window.
class ScaledApplication {
public:
    ScaledApplication(int& count, char** words) : count_(count), words_(words) {
        application_.emplace(count_, words_);
    }

    void scale(double factor) {
        if (std::abs(factor - 1) > 0.01) {
            application_.reset();
            const ScaledStart scaled(factor);
            application_.emplace(count_, words_);
        }
    }

private:
    int& count_;
    char** words_;
    std::optional<StudioApplication> application_;
};

double wantedScale(const QString& percent, const QDeadlineTimer& patience) {
    Desktop desktop(Desktop::sessionBus());
    if (QGuiApplication::platformName() != QLatin1String("xcb")) {
        desktop.waitForFirst(static_cast<int>(patience.remainingTime()));
    }
    return interfaceScale(percent,
                          desktop.preferences(),
                          QApplication::font().pointSizeF(),
                          QGuiApplication::platformName());
}

}  // namespace

int main(int count, char** words) {
    loader::keepBigBlocks();
    loader::shortenSpins();
    QApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    logQtMessages();
    QApplication::setApplicationName(QStringLiteral("lowtide-studio"));
    QApplication::setApplicationVersion(QStringLiteral(LOWTIDE_VERSION));
    ScaledApplication application(count, words);
    const ParsedArguments parsed = parseArguments(QApplication::arguments());
    if (!parsed.output.isEmpty()) {
        std::fputs(qPrintable(parsed.output), parsed.exitCode == 0 ? stdout : stderr);
        return parsed.exitCode;
    }
    const AppFolders appFolders = standardFolders();
    Settings settings(appFolders.settings);
    const QDeadlineTimer patience(kPortalPatience);
    application.scale(wantedScale(settings.preferences().scale, patience));
    Desktop desktop(Desktop::sessionBus());
    desktop.waitForFirst(static_cast<int>(patience.remainingTime()));
    return runStudio(parsed.arguments, appFolders, settings, desktop);
}
