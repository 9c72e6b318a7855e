#pragma once

#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/run_notices.hpp"
#include "ui/studio/viewer_controller.hpp"

#include <QDialog>
#include <QObject>
#include <QStringList>

#include <memory>
#include <set>
#include <string>
#include <vector>

class QComboBox;
class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace lowtide::ui {

/// Asks how many times a graph shall run, with which seeds, and with which prompts: its own, one a
/// line, or every combination of its alternatives.
class SeveralDialog : public QDialog {
    Q_OBJECT

public:
    static constexpr int kMost = RunControl::kMostRuns;

    enum class Prompts { Same, Lines, Combinations };

    /// `document` and `catalog` must outlive it.
    SeveralDialog(const graph::Document& document,
                  const graph::Catalog& catalog,
                  std::shared_ptr<const WildcardFiles> wildcards,
                  QWidget* parent);

    [[nodiscard]] int count() const;
    [[nodiscard]] SeveralSeeds seeds() const;
    [[nodiscard]] Prompts prompts() const;
    /// Of Lines: where they go, and the lines that are not empty.
    [[nodiscard]] PromptField field() const;
    [[nodiscard]] QStringList lines() const;

private:
    void build();
    void addFields();
    void showChoice();
    void showCount();
    void countCombinations();
    void openFile();

    const graph::Document& document_;
    const graph::Catalog& catalog_;
    std::shared_ptr<const WildcardFiles> wildcards_;
    QComboBox* prompts_;
    QComboBox* fields_;
    QPlainTextEdit* lines_;
    QPushButton* open_;
    QSpinBox* count_;
    QComboBox* seeds_;
    QLabel* message_;
    QPushButton* run_ = nullptr;
    QFormLayout* form_ = nullptr;
    std::vector<PromptField> targets_;
    QString combinations_;  ///< a sentence; empty: they are being counted
    bool canCombine_ = false;
};

/// Begins runs and ends them, and releases what they keep on devices, as the user asks for it.
class RunCommands : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it.
    RunCommands(MainWindowWidgets& widgets, ViewerController& images);

    /// Takes what is typed into the graph; false: it cannot be read, which is reported, and a run
    /// would go with the value before it.
    [[nodiscard]] bool commit();
    /// Before the first rehearsal of a session it asks, and states what a rehearsal does; false:
    /// nothing shall run.
    [[nodiscard]] bool mayRehearse();
    /// Asks where runs are at work or wait, or a model is converted, which end with the window;
    /// false: the window remains open.
    [[nodiscard]] bool mayEnd();

private:
    void connectActions();
    void connectForEver();
    void connectPanels();
    void connectQueue();
    void connectReports(ViewerController& images);
    void connectRelease();
    void start();
    void run(RunHow how, const std::set<std::string>& until = {});
    void runToSelected();
    void runSeveral();
    void stopAfterThis();
    void reportRefused(const Issues& issues);
    void endRelease(const MaintenanceTask& task, const QString& problem);

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    RunNotices notices_;
    quint64 unread_ = 0;              ///< the notice of commit()
    quint64 removal_ = 0;             ///< that of what was taken out of the queue's panel
    bool isReleaseReported_ = false;  ///< the release at work was asked for in the menu
};

}  // namespace lowtide::ui
