#include "tests/journey/screen/screen.hpp"

#include <QtTest/QtTest>

#include <stdexcept>

namespace lowtide::testing {

namespace {

constexpr int kToolMilliseconds = 20000;
constexpr int kAnswerMilliseconds = 500;
constexpr int kSteps = 12;  ///< of a drag, between two positions

QString outputOf(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    const bool isOver = process.waitForFinished(kToolMilliseconds);
    if (!isOver || process.exitCode() != 0) {
        throw std::runtime_error((program + ' ' + arguments.join(' ') + ": " +
                                  QString::fromUtf8(process.readAllStandardError()))
                                     .toStdString());
    }
    return QString::fromUtf8(process.readAllStandardOutput());
}

QStringList movedTo(const QPoint& point) {
    return {"mousemove", QString::number(point.x()), QString::number(point.y())};
}

QStringList buttonArgument(Screen::Button button) {
    return {QString::number(static_cast<int>(button))};
}

void tool(const QStringList& arguments) {
    outputOf("xdotool", arguments);
}

}  // namespace

void Screen::moveTo(const QPoint& point) const {
    tool(movedTo(point));
}

void Screen::nudge() const {
    tool({"mousemove_relative", "2", "12"});
}

void Screen::click(const QPoint& point, Button button) const {
    tool(movedTo(point) + QStringList{"click"} + buttonArgument(button));
}

void Screen::clickOften(const QPoint& point, int times) const {
    tool(movedTo(point) +
         QStringList{"click", "--repeat", QString::number(times), "--delay", "40", "1"});
}

void Screen::clickHolding(const QString& held, const QPoint& point) const {
    tool(QStringList{"keydown", held} + movedTo(point) + QStringList{"click", "1", "keyup", held});
}

/// In small steps: a program that is notified of a jump alone sees no drag.
void Screen::drag(const QList<QPoint>& positions, const QString& held) const {
    QStringList arguments = held.isEmpty() ? QStringList() : QStringList{"keydown", held};
    arguments += movedTo(positions.front()) + QStringList{"mousedown", "1"};
    for (int next = 1; next < positions.size(); ++next) {
        const QPoint from = positions[next - 1];
        const QPoint way = positions[next] - from;
        for (int step = 1; step <= kSteps; ++step) {
            arguments += movedTo(from + way * step / kSteps) + QStringList{"sleep", "0.01"};
        }
    }
    arguments += QStringList{"mouseup", "1"};
    if (!held.isEmpty()) {
        arguments += QStringList{"keyup", held};
    }
    tool(arguments);
}

void Screen::press(const QStringList& keys) const {
    tool(QStringList{"key", "--delay", "20"} + keys);
}

void Screen::pressHolding(const QString& held, const QStringList& keys) const {
    QStringList arguments{"keydown", held};
    if (!keys.isEmpty()) {
        arguments += QStringList{"key", "--delay", "20"} + keys;
    }
    tool(arguments + QStringList{"keyup", held});
}

void Screen::type(const QString& text) const {
    tool({"type", "--delay", "20", text});
}

void Screen::focusUppermost() const {
    if (const XServer::Window window = server_.uppermost()) {
        server_.focus(window);
    }
}

/// A window that closes meanwhile does not answer: the next is asked.
bool Screen::waitTaken(const std::function<bool()>& isRunning, int milliseconds) {
    return QTest::qWaitFor(
        [&] {
            const XServer::Window window = server_.uppermost();
            return !isRunning() || (window != 0 && server_.isAnswered(window, kAnswerMilliseconds));
        },
        milliseconds);
}

QSize Screen::uppermostSize() const {
    return server_.sizeOf(server_.uppermost());
}

void Screen::keep(const QString& name) const {
    const QString folder = qEnvironmentVariable("LOWTIDE_SCREENSHOTS");
    if (!folder.isEmpty() && QDir().mkpath(folder)) {
        outputOf("ffmpeg",
                 {"-loglevel",
                  "error",
                  "-f",
                  "x11grab",
                  "-i",
                  qEnvironmentVariable("DISPLAY"),
                  "-frames:v",
                  "1",
                  "-y",
                  QDir(folder).filePath(name + ".png")});
    }
}

}  // namespace lowtide::testing
