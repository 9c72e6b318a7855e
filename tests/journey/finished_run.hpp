#pragma once

#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"

#include <QImage>

namespace lowtide::testing {

/// Arguments of a run that takes little time.
inline const QStringList kShort = {"--set", "denoise.steps=2"};

/// One command that ran a graph.
struct Finished {
    CommandResult command;
    QByteArray file;  ///< the image's
    QImage image;
    Json report;
};

/// A short run of a graph, with `cache` as its folder between processes.
[[nodiscard]] Finished runGraph(const QString& graph,
                                const QString& cache,
                                const QStringList& more = {});
[[nodiscard]] Finished runExample(const QString& graph,
                                  const QString& cache,
                                  const QStringList& more = {});
/// By the command in this process.
[[nodiscard]] Finished runExampleInProcess(const QString& graph, const QStringList& more = {});
/// With an image; else its errors are printed.
[[nodiscard]] bool isGood(const Finished& run);
[[nodiscard]] QStringList executed(const Finished& run);
/// What a control node reported, by node and action; null when it did not.
[[nodiscard]] Json reported(const Finished& run,
                            const std::string& node,
                            const std::string& action);

}  // namespace lowtide::testing
