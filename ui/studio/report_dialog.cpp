#include "ui/studio/report_dialog.hpp"

#include "plugin/graph/issues.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/loader/os.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QCheckBox>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSysInfo>
#include <QThread>
#include <QTimer>

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

constexpr int kRest = 200;  // milliseconds after a key

}  // namespace

Json systemFacts(const Plugin* plugin, const Json& devices) {
    const QString desktop = qEnvironmentVariable("XDG_CURRENT_DESKTOP");
    Json facts = {{"lowtide", QCoreApplication::applicationVersion().toStdString()},
                  {"qt", qVersion()},
                  {"qt_platform", QGuiApplication::platformName().toStdString()},
                  {"scale", qGuiApp->devicePixelRatio()},
                  {"language", QLocale().name().toStdString()},
                  {"system", QSysInfo::prettyProductName().toStdString()},
                  {"kernel", QSysInfo::kernelVersion().toStdString()},
                  {"processor", loader::processorName()},
                  {"threads", QThread::idealThreadCount()},
                  {"memory", loader::machineMemory()},
                  {"devices", devices}};
    if (!desktop.isEmpty()) {
        facts["desktop"] = desktop.toStdString();
    }
    if (plugin) {
        facts["module"] = answerOf(std::string(plugin->info()));
    }
    return facts;
}

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

ReportDialog::ReportDialog(ReportFacts facts, Redactor::Known machine, QWidget* parent)
    : QDialog(parent),
      facts_(std::move(facts)),
      machine_(std::move(machine)),
      description_(named("reportDescription", new QPlainTextEdit(this))),
      preview_(named("reportPreview", new QPlainTextEdit(this))),
      state_(named("reportState", new QLabel(this))),
      rest_(new QTimer(this)) {
    setObjectName(QStringLiteral("reportProblem"));
    setWindowTitle(tr("Report a problem"));
    resize(Theme::space(190), Theme::space(170));
    rest_->setSingleShot(true);
    rest_->setInterval(kRest);
    connect(rest_, &QTimer::timeout, this, &ReportDialog::make);
    build();
    make();
}

QCheckBox* ReportDialog::addChoice(const char* name,
                                   const QString& text,
                                   bool ReportChoices::*part) {
    auto* box = named(name, new QCheckBox(text, this));
    box->setChecked(choices_.*part);
    connect(box, &QCheckBox::toggled, this, [this, part](bool isOn) {
        choices_.*part = isOn;
        make();
    });
    return box;
}

void ReportDialog::build() {
    QLabel* intro = makeText(
        tr("A report is a text file for Lowtide's developers. It leaves out folders and the names "
           "of this computer and its user. Nothing is sent: save or copy it, then attach it to "
           "your bug report."),
        "",
        this);
    description_->setPlaceholderText(tr("What did you do, what did you expect, what happened?"));
    description_->setTabChangesFocus(true);
    description_->setFixedHeight(Theme::space(16));
    connect(description_, &QPlainTextEdit::textChanged, rest_, qOverload<>(&QTimer::start));
    auto* parts = new QWidget(this);
    auto* choices = new FlowRow(parts);
    choices->setContentsMargins(0, 0, 0, 0);
    choices->setSpacing(Theme::space(3));
    choices->addWidget(
        addChoice("hasGraph", tr("Graph: nodes, wires, numbers"), &ReportChoices::hasGraph));
    choices->addWidget(addChoice("hasPlan", tr("Memory plan and issues"), &ReportChoices::hasPlan));
    choices->addWidget(addChoice("hasRun", tr("Report of the last run"), &ReportChoices::hasRun));
    choices->addWidget(addChoice("hasLog", tr("Last lines of the log"), &ReportChoices::hasLog));
    auto* texts = addChoice("hasTexts", tr("Prompts and other texts"), &ReportChoices::hasTexts);
    texts->setToolTip(tr("Prompts are left out unless they matter for the problem"));
    choices->addWidget(texts);
    preview_->setReadOnly(true);
    preview_->setMinimumHeight(Theme::space(12));
    preview_->setLineWrapMode(QPlainTextEdit::NoWrap);
    preview_->setFont(Theme::current().font("mono"));
    preview_->setTabChangesFocus(true);
    state_->setForegroundRole(QPalette::PlaceholderText);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    save_ = named("saveReport", buttons->addButton(tr("Save..."), QDialogButtonBox::ActionRole));
    copy_ = named("copyReport", buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole));
    connect(save_, &QPushButton::clicked, this, &ReportDialog::chooseFolder);
    connect(copy_, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(text());
        state_->setText(tr("Copied."));
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    columnIn(this,
             2,
             {4, 4, 4, 4},
             {intro,
              makeFieldLabel(tr("What happened"), description_, this),
              description_,
              parts,
              makeFieldLabel(tr("Exactly this is saved or copied"), preview_, this),
              {preview_, 1},
              state_,
              buttons});
}

void ReportDialog::make() {
    rest_->stop();
    save_->setEnabled(false);
    copy_->setEnabled(false);
    facts_.description = description_->toPlainText();
    later(
        this,
        [facts = facts_, choices = choices_, machine = machine_] {
            return QString::fromStdString(problemReport(facts, choices, machine)
                                              .dump(2, ' ', false, Json::error_handler_t::replace));
        },
        [this, number = ++asked_](const QString& text) {
            if (number == asked_) {
                show(text);
            }
        });
}

void ReportDialog::show(const QString& text) {
    preview_->setPlainText(text + QLatin1Char('\n'));
    save_->setEnabled(true);
    copy_->setEnabled(true);
    state_->setText(tr("%n characters", nullptr, static_cast<int>(text.size())));
}

QString ReportDialog::text() const {
    return preview_->toPlainText();
}

void ReportDialog::chooseFolder() {
    askWhereToSave(this,
                   "saveReportDialog",
                   tr("Save the report"),
                   QStringLiteral("lowtide-report"),
                   QStringLiteral("json"),
                   [this](const QString& path) { save(path); });
}

void ReportDialog::save(const QString& path) {
    saveTextLater(this, path, text(), [this, path](const QString& problem) {
        state_->setText(problem.isEmpty() ? tr("Saved as %1.").arg(QDir::toNativeSeparators(path))
                                          : tr("It is not saved: %1.").arg(problem));
    });
}

}  // namespace lowtide::ui
