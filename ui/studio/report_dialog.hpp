#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/problem_report.hpp"
#include "ui/studio/workspace.hpp"

#include <QDialog>

class QCheckBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTimer;

namespace lowtide::ui {

/// What a report states about versions, machine and desktop. `plugin`: nullptr where none runs;
/// `devices` as the module lists them. Any thread but for `devices`.
[[nodiscard]] Json systemFacts(const Plugin* plugin, const Json& devices);

/// What a report may state about the open graph, its plan, and the run that ended last.
[[nodiscard]] ReportFacts reportFacts(Workspace& workspace);

/// Shows a report of a problem exactly as it is saved or copied, and lets the user choose what is
/// in it.
class ReportDialog : public QDialog {
    Q_OBJECT

public:
    /// `machine`: names that no report may contain.
    ReportDialog(ReportFacts facts, Redactor::Known machine, QWidget* parent = nullptr);

    /// The report, once it is made for the choices that stand.
    [[nodiscard]] QString text() const;
    /// Writes text() on another thread.
    void save(const QString& path);

private:
    QCheckBox* addChoice(const char* name, const QString& text, bool ReportChoices::*part);
    void build();
    void make();
    void show(const QString& text);
    void chooseFolder();

    ReportFacts facts_;
    const Redactor::Known machine_;
    ReportChoices choices_;
    QPlainTextEdit* description_;
    QPlainTextEdit* preview_;
    QLabel* state_;
    QPushButton* save_ = nullptr;
    QPushButton* copy_ = nullptr;
    QTimer* rest_;
    int asked_ = 0;
};

}  // namespace lowtide::ui
