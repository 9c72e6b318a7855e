#pragma once

#include <QString>
#include <QStringList>

namespace lowtide::ui {

/// The parsed command line of lowtide-studio.
struct StudioArguments {
    QString graph;         ///< a file, or the name of a preset; empty: the default graph
    QString device;        ///< empty: the graph's, or the settings'
    QString memoryBudget;  ///< empty: the graph's
    QStringList modelFolders;
    int threads = 0;
};

struct ParsedArguments {
    StudioArguments arguments;
    QString output;  ///< to print instead of starting: help, the version, or what is wrong
    int exitCode = 0;
};

[[nodiscard]] ParsedArguments parseArguments(const QStringList& words);

}  // namespace lowtide::ui
