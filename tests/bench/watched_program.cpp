#include "tests/bench/watched_program.hpp"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>

#include <algorithm>

namespace lowtide::testing {

namespace {

constexpr int kBetweenLooksMs = 20;

void lookAtMemory(qint64 processId, WatchedProgram& watched) {
    QFile status(QString("/proc/%1/status").arg(processId));
    if (!status.open(QIODevice::ReadOnly)) {
        return;
    }
    const auto raise = [](qint64& peak, const QByteArray& line) {
        constexpr qint64 kKibibyte = 1024;
        peak = std::max(peak, line.simplified().split(' ').value(1).toLongLong() * kKibibyte);
    };
    for (const QByteArray& line : status.readAll().split('\n')) {
        if (line.startsWith("VmHWM:")) {
            raise(watched.peakResident, line);
        } else if (line.startsWith("RssAnon:")) {
            raise(watched.peakResidentPrivate, line);
        } else if (line.startsWith("RssFile:")) {
            raise(watched.peakResidentFiles, line);
        }
    }
}

}  // namespace

WatchedProgram watchProgram(const QString& program, const QStringList& arguments) {
    WatchedProgram watched;
    QProcess process;
    QElapsedTimer timer;
    timer.start();
    process.start(program, arguments);
    process.waitForStarted();
    const auto takeLines = [&] {
        while (process.canReadLine()) {
            watched.lines.push_back(
                {static_cast<double>(timer.nsecsElapsed()) / 1e9, process.readLine().trimmed()});
        }
    };
    while (process.state() != QProcess::NotRunning) {
        lookAtMemory(process.processId(), watched);
        process.waitForReadyRead(kBetweenLooksMs);
        takeLines();
    }
    process.waitForFinished(-1);
    takeLines();
    watched.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    watched.errors = QString::fromUtf8(process.readAllStandardError());
    return watched;
}

}  // namespace lowtide::testing
