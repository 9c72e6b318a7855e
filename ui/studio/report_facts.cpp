#include "ui/studio/report_facts.hpp"

#include "plugin/graph/issues.hpp"

#include <QFileInfo>

#include <algorithm>

namespace lowtide::ui {

namespace {

/// The newest one that ended; nullptr: none did.
const QueuedRun* lastEnded(const RunQueue& queue) {
    const auto& runs = queue.runs();
    const auto found = std::find_if(
        runs.rbegin(), runs.rend(), [](const QueuedRun& run) { return hasEnded(run); });
    return found == runs.rend() ? nullptr : &*found;
}

/// A run that was refused, or an older one, has no report of the module any more.
Json reportOf(const QueuedRun& run) {
    return run.report.is_object() ? run.report
                                  : Json{{"ms", run.milliseconds},
                                         {"executed", run.executed},
                                         {"issues", graph::toJson(run.issues)}};
}

}  // namespace

ReportFacts reportFacts(Workspace& workspace) {
    ReportFacts facts{.document = workspace.model.document(),
                      .issues = workspace.planning.planned().issues,
                      .plan = workspace.planning.planned().plan};
    for (const auto& [id, node] : facts.document.nodes) {
        if (const NodeDesc* desc = workspace.model.catalog().find(node.type)) {
            facts.types.emplace(node.type, *desc);
        }
    }
    if (const QueuedRun* run = lastEnded(workspace.queue)) {
        facts.report = reportOf(*run);
        facts.options = run->options;
        for (const QString& file : run->files) {
            facts.folders << QFileInfo(file).absolutePath();
        }
    }
    const Preferences& preferences = workspace.settings().preferences();
    facts.folders << preferences.modelFolders << preferences.outputFolder
                  << workspace.file.folder();
    for (const QString& file : preferences.recentFiles + preferences.modelPathsFiles) {
        facts.folders << QFileInfo(file).absolutePath();
    }
    facts.folders.removeDuplicates();
    return facts;
}

}  // namespace lowtide::ui
