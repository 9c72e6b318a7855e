#include "examples/qtnodes_host/host/row_editors.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace lowtide::qtnodes_host {

namespace {

constexpr int kPromptLines = 4;

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

}  // namespace

RowEditors::RowEditors(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    edit(nullptr);
}

void RowEditors::edit(std::shared_ptr<NodeState> node) {
    node_ = std::move(node);
    auto* page = new QWidget;
    auto* form = new QFormLayout(page);
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    auto* title =
        new QLabel(node_ ? text(node_->desc().label) : tr("Choose a node to edit its values."));
    title->setWordWrap(true);
    form->addRow(title);
    if (node_) {
        title->setToolTip(text(node_->desc().tooltip));
        for (const Row& row : rowsOf(*node_)) {
            addRow(*form, row);
        }
    }
    setWidget(page);  // the page before is deleted
}

void RowEditors::addRow(QFormLayout& form, const Row& row) {
    auto* refusal = new QLabel;
    refusal->setWordWrap(true);
    refusal->setObjectName("refusal of " + text(row.id));
    refusal->hide();
    QWidget* editor = makeEditor(row, refusal);
    editor->setObjectName((row.kind == Row::Kind::Policy ? "policy " : "param ") + text(row.id));
    editor->setToolTip(text(row.tooltip));
    const QString unit = row.unit.empty() ? QString() : tr(" (%1)").arg(text(row.unit));
    form.addRow(text(row.label) + unit, editor);
    form.addRow(refusal);
}

QWidget* RowEditors::makeEditor(const Row& row, QLabel* refusal) {
    if (row.shape == ParamKind::Bool) {
        auto* box = new QCheckBox;
        box->setChecked(row.text == "true");
        connect(box, &QCheckBox::toggled, this, [=, this](bool isOn) {
            take(row, isOn ? "true" : "false", refusal);
        });
        return box;
    }
    if (row.shape == ParamKind::Choice) {
        return makeChoice(row, refusal);
    }
    if (row.multiline) {
        auto* lines = new QPlainTextEdit(text(row.text));
        lines->setTabChangesFocus(true);
        lines->setFixedHeight(lines->fontMetrics().lineSpacing() * (kPromptLines + 1));
        connect(lines, &QPlainTextEdit::textChanged, this, [=, this] {
            take(row, lines->toPlainText(), refusal);
        });
        return lines;
    }
    auto* line = new QLineEdit(text(row.text));
    connect(line, &QLineEdit::textEdited, this, [=, this](const QString& typed) {
        take(row, typed, refusal);
    });
    return line;
}

QWidget* RowEditors::makeChoice(const Row& row, QLabel* refusal) {
    auto* box = new QComboBox;
    for (const ChoiceDesc& choice : row.choices) {
        box->addItem(text(choice.label), text(choice.id));
    }
    const int now = box->findData(text(row.text));
    if (now < 0) {  // a value of another version remains until another one is chosen
        box->insertItem(0, text(row.text), text(row.text));
    }
    box->setCurrentIndex(std::max(now, 0));
    connect(box, &QComboBox::activated, this, [=, this](int index) {
        take(row, box->itemData(index).toString(), refusal);
    });
    return box;
}

void RowEditors::take(const Row& row, const QString& typed, QLabel* refusal) {
    const auto reason = setFromText(*node_, row, typed.toStdString());
    refusal->setText(reason ? text(*reason) : QString());
    refusal->setVisible(reason.has_value());
    if (!reason) {
        Q_EMIT edited();
    }
}

}  // namespace lowtide::qtnodes_host
