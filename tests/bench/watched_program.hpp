#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <vector>

namespace lowtide::testing {

/// One line that a program printed, and when.
struct TimedLine {
    double seconds = 0;     ///< since the program was started
    double cpuSeconds = 0;  ///< that it had computed until then, all threads
    qint64 resident = 0;    ///< bytes that it had in RAM
    qint64 fromDisk = 0;    ///< bytes that the system had fetched from disks for it
    QByteArray text;
};

/// What a program did, seen from outside.
struct WatchedProgram {
    int exitCode = -1;
    std::vector<TimedLine> lines;  ///< of its standard output
    QString errors;
    std::vector<TimedLine> samples;  ///< without text: what was seen at each look
    qint64 peakResident = 0;         ///< bytes: the system's own high-water mark
    qint64 peakResidentPrivate = 0;  ///< bytes, sampled: in RAM and of no file
    qint64 peakResidentFiles = 0;    ///< bytes, sampled: in RAM and of mapped files
};

/// Runs a program to its end and looks at its memory fifty times a second.
[[nodiscard]] WatchedProgram watchProgram(const QString& program, const QStringList& arguments);

}  // namespace lowtide::testing
