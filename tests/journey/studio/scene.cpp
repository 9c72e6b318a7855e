#include "tests/journey/studio/scene.hpp"

#include "tests/fixtures/input.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/spoken_language.hpp"
#include "tests/fixtures/text_fit.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <stdexcept>

namespace lowtide::testing {

namespace {

constexpr int kSceneMilliseconds = 60000;
constexpr int kRestMilliseconds = 100;  ///< in which nothing moves that has come to rest

template <class Condition>
void waitFor(const char* what, const Condition& isSo) {
    if (!QTest::qWaitFor(isSo, kSceneMilliseconds)) {
        throw std::runtime_error(std::string("it never comes to this: ") + what);
    }
}

/// Images of files, plans and texts come a moment late.
void waitForRest(QWidget& shown) {
    QImage before;
    waitFor("the image stands still", [&] {
        QTest::qWait(kRestMilliseconds);
        const QImage now = test::imageOf(shown);
        return std::exchange(before, now) == now;
    });
}

/// Of language and scale; empty for English at 1.
QString suffixOfProcess() {
    const QString language = test::spokenLanguage();
    const QByteArray scale = qgetenv("QT_SCALE_FACTOR");
    return (language == QLatin1String("en") ? QString() : "_" + language) +
           (scale.isEmpty() || scale == "1" ? QString() : "_at_" + QString::fromLatin1(scale));
}

}  // namespace

void Scene::openPreset(const QString& id) {
    studio_.model().setSaved();
    bool isThere = false;
    studio_.controller().presets().open(id, [&isThere](bool isOpen) { isThere = isOpen; });
    if (!isThere) {
        throw std::runtime_error("there is no preset " + id.toStdString());
    }
}

void Scene::setParam(const char* node, const char* param, const Json& value) {
    studio_.model().apply("Change", [&](graph::Document& document) {
        document.nodes.at(node).params[param] = value;
    });
}

void Scene::setPolicy(const char* node, const char* policy) {
    studio_.model().apply(
        "Policy", [&](graph::Document& document) { document.nodes.at(node).memory = policy; });
}

void Scene::runOn(const std::string& device) {
    studio_.workspace().isRehearsalAgreed = true;  // no question in an image
    showPanel("memory");
    auto& box = dynamic_cast<QComboBox&>(hands_.widget("device", &hands_.widget("memoryPanel")));
    waitFor("the device is offered",
            [&] { return box.findData(QString::fromStdString(device)) >= 0; });
    box.setCurrentIndex(box.findData(QString::fromStdString(device)));
    Q_EMIT box.activated(box.currentIndex());
}

void Scene::waitForPlan() {
    waitFor("there is a plan", [&] { return studio_.workspace().planning.planned().isFresh; });
}

ui::QueuedRun Scene::run() {
    const ui::QueuedRun run = studio_.runToEnd();
    if (run.state != ui::RunState::Finished) {
        throw std::runtime_error(run.issues.empty() ? "the run did not end well"
                                                    : run.issues.front().message.str());
    }
    return run;
}

void Scene::waitForRuns() {
    waitFor("all runs have ended", [&] { return !studio_.workspace().run.isBusy(); });
}

void Scene::showPanel(const char* panel) {
    studio_.controller().widgets().panels.show(panel);
}

QWidget& Scene::floatPanel(const char* panel, const QSize& size) {
    showPanel(panel);
    auto* dock = studio_.window().findChild<QDockWidget*>(QLatin1String(panel));
    dock->setFloating(true);
    dock->resize(size);
    waitFor("the panel is active", [dock] { return dock->isActiveWindow(); });
    if (QWidget* focused = dock->focusWidget()) {
        focused->clearFocus();  // no part of it is what the image is about
    }
    return *dock->widget();
}

void Scene::activate() {
    if (!test::isMadeActive(studio_.window())) {
        throw std::runtime_error("the window is not active");
    }
}

void Scene::hidePanelsBelow() {
    for (auto* dock : studio_.window().findChildren<QDockWidget*>()) {
        if (studio_.window().dockWidgetArea(dock) == Qt::BottomDockWidgetArea) {
            dock->hide();
        }
    }
}

QWidget& Scene::middle() {
    return hands_.widget("centre");
}

void Scene::keep(QWidget& shown, const QString& name, const std::function<QWidget*()>& open) {
    const auto use = [this](const QString& scheme) {
        studio_.window().actions().at("view." + scheme.toStdString()).trigger();
    };
    for (const QString& scheme : test::lookedAtSchemes()) {
        use(scheme);
        waitForRest(shown);
        QWidget* over = open();  // the offscreen platform lets it go with the next event
        if (!over) {
            waitForRest(shown);
        }
        const QString file =
            name + (scheme == "light" ? QString() : "_" + scheme) + suffixOfProcess();
        const QStringList problems = test::textProblems(shown);
        QVERIFY2(problems.isEmpty(), qPrintable(file + ": " + problems.join("; ")));
        test::keepScreenshot(shown, file, over);
    }
    use("light");
}

}  // namespace lowtide::testing
