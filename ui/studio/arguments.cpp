#include "ui/studio/arguments.hpp"

#include "plugin/host_api/runner.hpp"
#include "ui/panels/memory_settings.hpp"

#include <QCommandLineParser>
#include <QCoreApplication>

namespace lowtide::ui {

namespace {

constexpr int kMostThreads = 1024;

class ArgumentWords {
    Q_DECLARE_TR_FUNCTIONS(Arguments)
};

/// What is wrong with the values; empty: nothing.
QString problemOf(const QCommandLineParser& parser) {
    if (parser.positionalArguments().size() > 1) {
        return ArgumentWords::tr("lowtide-studio opens one graph at a time; %1 were given")
            .arg(parser.positionalArguments().size());
    }
    const QString budget = budgetProblem(parser.value(QStringLiteral("memory-budget")));
    if (!budget.isEmpty()) {
        return QStringLiteral("--memory-budget: ") + budget;
    }
    bool isNumber = true;
    const int threads = parser.isSet(QStringLiteral("threads"))
                            ? parser.value(QStringLiteral("threads")).toInt(&isNumber)
                            : 1;
    return isNumber && threads >= 1 && threads <= kMostThreads
               ? QString()
               : ArgumentWords::tr("--threads takes a number from 1 to %1").arg(kMostThreads);
}

}  // namespace

ParsedArguments parseArguments(const QStringList& words) {
    QCommandLineParser parser;
    parser.setApplicationDescription(ArgumentWords::tr(
        "Lowtide studio: image diffusion as a node graph, with a memory policy for every node"));
    parser.addPositionalArgument(
        QStringLiteral("graph"),
        ArgumentWords::tr("Graph file, image with a graph, or name of a preset"),
        QStringLiteral("[GRAPH|PRESET]"));
    const auto add = [&](const char* name, const char* text, const char* value) {
        parser.addOption(
            {QString::fromLatin1(name), ArgumentWords::tr(text), QString::fromLatin1(value)});
    };
    add("device", QT_TRANSLATE_NOOP("Arguments", "Main device: cpu, cuda, fake:8GiB"), "X");
    add("memory-budget",
        QT_TRANSLATE_NOOP("Arguments",
                          "Memory budget: 6GiB of the main device, or cuda:0=20GiB,cpu=8GiB"),
        "BUDGET");
    add("model-folder",
        QT_TRANSLATE_NOOP("Arguments", "Folder with models, for this start (repeatable)"),
        "DIR");
    add("threads", QT_TRANSLATE_NOOP("Arguments", "Threads of the CPU's operators"), "N");
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    const bool isRead = parser.parse(words);
    if (isRead && parser.isSet(help)) {
        return {.arguments = {}, .output = parser.helpText()};
    }
    if (isRead && parser.isSet(version)) {
        return {
            .arguments = {},
            .output =
                QStringLiteral("lowtide-studio %1\n").arg(QCoreApplication::applicationVersion())};
    }
    const QString problem = isRead ? problemOf(parser) : parser.errorText();
    if (!problem.isEmpty()) {
        return {.arguments = {},
                .output = problem + QLatin1Char('\n'),
                .exitCode = static_cast<int>(Status::Invalid)};
    }
    return {.arguments = {.graph = parser.positionalArguments().value(0),
                          .device = parser.value(QStringLiteral("device")),
                          .memoryBudget = parser.value(QStringLiteral("memory-budget")),
                          .modelFolders = parser.values(QStringLiteral("model-folder")),
                          .threads = parser.value(QStringLiteral("threads")).toInt()},
            .output = {}};
}

}  // namespace lowtide::ui
