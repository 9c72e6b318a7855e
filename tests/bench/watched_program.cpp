#include "tests/bench/watched_program.hpp"

#include "tests/fixtures/folders.hpp"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>

#include <algorithm>
#include <unistd.h>

namespace lowtide::testing {

namespace {

constexpr int kBetweenLooksMs = 20;

/// Of a process that runs: user and system time.
double cpuSecondsOf(qint64 processId) {
    QFile file(QString("/proc/%1/stat").arg(processId));
    if (!file.open(QIODevice::ReadOnly)) {
        return 0;
    }
    const QByteArray text = file.readAll();
    // Behind the name, which may hold spaces: state is field 3, utime and stime are 14 and 15.
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    return (fields.value(11).toDouble() + fields.value(12).toDouble()) / ticks;
}

/// Of a process that runs; what others had read before is fetched from no disk.
qint64 bytesFromDisk(qint64 processId) {
    for (const QByteArray& line : contentsOf(QString("/proc/%1/io").arg(processId)).split('\n')) {
        if (line.startsWith("read_bytes:")) {
            return line.simplified().split(' ').value(1).toLongLong();
        }
    }
    return 0;
}

/// Raises the peaks; the bytes in RAM now.
qint64 lookAtMemory(qint64 processId, WatchedProgram& watched) {
    QFile status(QString("/proc/%1/status").arg(processId));
    if (!status.open(QIODevice::ReadOnly)) {
        return 0;
    }
    qint64 resident = 0;
    const auto raise = [](qint64& peak, const QByteArray& line) {
        constexpr qint64 kKibibyte = 1024;
        peak = std::max(peak, line.simplified().split(' ').value(1).toLongLong() * kKibibyte);
    };
    for (const QByteArray& line : status.readAll().split('\n')) {
        if (line.startsWith("VmHWM:")) {
            raise(watched.peakResident, line);
        } else if (line.startsWith("VmRSS:")) {
            raise(resident, line);
        } else if (line.startsWith("RssAnon:")) {
            raise(watched.peakResidentPrivate, line);
        } else if (line.startsWith("RssFile:")) {
            raise(watched.peakResidentFiles, line);
        }
    }
    return resident;
}

}  // namespace

WatchedProgram watchProgram(const QString& program, const QStringList& arguments) {
    WatchedProgram watched;
    QProcess process;
    QElapsedTimer timer;
    timer.start();
    process.start(program, arguments);
    process.waitForStarted();
    TimedLine now;
    const auto look = [&] {
        now.resident = lookAtMemory(process.processId(), watched);
        now.cpuSeconds = std::max(now.cpuSeconds, cpuSecondsOf(process.processId()));
        now.fromDisk = std::max(now.fromDisk, bytesFromDisk(process.processId()));
        now.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
        watched.samples.push_back(now);
    };
    const auto takeLines = [&] {
        while (process.canReadLine()) {
            watched.lines.push_back(now);
            watched.lines.back().text = process.readLine().trimmed();
        }
    };
    while (process.state() != QProcess::NotRunning) {
        process.waitForReadyRead(kBetweenLooksMs);
        look();
        takeLines();
    }
    process.waitForFinished(-1);
    takeLines();
    watched.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    watched.errors = QString::fromUtf8(process.readAllStandardError());
    return watched;
}

}  // namespace lowtide::testing
