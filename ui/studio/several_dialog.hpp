#pragma once

#include "ui/bridge/run_control.hpp"
#include "ui/bridge/run_maker.hpp"

#include <QDialog>
#include <QStringList>

#include <memory>

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
    void addFields(const graph::Document& document, const graph::Catalog& catalog);
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

}  // namespace lowtide::ui
