#include "tests/journey/finished_run.hpp"

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"

#include <QtCore>

namespace lowtide::testing {

namespace {

template <class Command>
Finished finish(const QString& graph, const QStringList& more, const Command& command) {
    const QTemporaryDir folder;
    const QString report = folder.filePath("report.json");
    Finished run;
    run.command = command(QStringList{"run", graph, "--out", folder.path(), "--report", report} +
                          kShort + more);
    run.file = contentsOf(folder.filePath("lowtide_00001.png"));
    run.image = QImage::fromData(run.file);
    if (QFile::exists(report)) {
        run.report = parseJson(contentsOf(report).toStdString(), "report");
    }
    return run;
}

}  // namespace

Finished runGraph(const QString& graph, const QString& cache, const QStringList& more) {
    return finish(graph, more, [&](const QStringList& arguments) {
        return runLowtide(arguments, {"LOWTIDE_CACHE=" + cache});
    });
}

Finished runExampleInProcess(const QString& graph, const QStringList& more) {
    return finish(exampleGraph(graph), more, runInProcess);
}

Finished runExample(const QString& graph, const QString& cache, const QStringList& more) {
    return runGraph(exampleGraph(graph), cache, more);
}

bool isGood(const Finished& run) {
    if (run.command.exitCode != 0 || run.image.isNull()) {
        qWarning("%s", qPrintable(run.command.errors));
        return false;
    }
    return true;
}

QStringList executed(const Finished& run) {
    QStringList nodes;
    for (const Json& node : run.report.at("repetitions").at(0).at("executed")) {
        nodes << QString::fromStdString(node.get<std::string>());
    }
    return nodes;
}

Json reported(const Finished& run, const std::string& node, const std::string& action) {
    for (const Json& entry : run.report.at("controls")) {
        if (entry.at("node") == node && entry.at("action") == action) {
            return entry;
        }
    }
    return {};
}

}  // namespace lowtide::testing
