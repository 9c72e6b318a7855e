#include "ui/studio/several_dialog.hpp"

#include "ui/bridge/background.hpp"
#include "ui/document/node_title.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kUsual = 10;
constexpr int kLinesHeight = 140;
constexpr int kLinesWidth = 420;
constexpr qint64 kLargestList = qint64{4} << 20;

QString figure(qulonglong number) {
    return QLocale().toString(number);
}

/// "Prompt", or "Portrait: Prompt" where several nodes have one.
QString fillPlaceholder(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const PromptField& field,
                        bool isOne) {
    const graph::DocumentNode& node = document.nodes.at(field.node);
    const NodeDesc* desc = catalog.find(node.type);
    const ParamDesc* param = desc ? graph::findParam(*desc, field.param) : nullptr;
    const QString label = QString::fromStdString(param ? param->label : field.param);
    return isOne ? label
                 : SeveralDialog::tr("%1: %2").arg(nodeTitle(document, catalog, field.node), label);
}

}  // namespace

SeveralDialog::SeveralDialog(const graph::Document& document,
                             const graph::Catalog& catalog,
                             std::shared_ptr<const WildcardFiles> wildcards,
                             QWidget* parent)
    : QDialog(parent),
      document_(document),
      catalog_(catalog),
      wildcards_(std::move(wildcards)),
      prompts_(new QComboBox(this)),
      fields_(new QComboBox(this)),
      lines_(new QPlainTextEdit(this)),
      open_(new QPushButton(tr("Open a text file..."), this)),
      count_(new QSpinBox(this)),
      seeds_(new QComboBox(this)),
      message_(new QLabel(this)) {
    setObjectName(QStringLiteral("several"));
    setWindowTitle(tr("Run several times"));
    addFields(document, catalog);
    build();
    connect(prompts_, &QComboBox::currentIndexChanged, this, &SeveralDialog::showChoice);
    connect(lines_, &QPlainTextEdit::textChanged, this, &SeveralDialog::showCount);
    connect(open_, &QPushButton::clicked, this, &SeveralDialog::openFile);
    countCombinations();
    showChoice();
}

void SeveralDialog::addFields(const graph::Document& document, const graph::Catalog& catalog) {
    for (const auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        if (!desc || node.mode != graph::NodeMode::Active) {
            continue;
        }
        for (const ParamDesc& param : desc->params) {
            if (param.kind == ParamKind::Text && param.multiline && !param.advanced) {
                targets_.push_back({.node = id, .param = param.id});
            }
        }
    }
    const bool isOne = std::all_of(targets_.begin(), targets_.end(), [&](const PromptField& each) {
        return each.node == targets_.front().node;
    });
    for (const PromptField& field : targets_) {
        fields_->addItem(fillPlaceholder(document, catalog, field, isOne));
    }
}

void SeveralDialog::build() {
    prompts_->setObjectName(QStringLiteral("prompts"));
    prompts_->addItem(tr("As they are"), static_cast<int>(Prompts::Same));
    if (!targets_.empty()) {
        prompts_->addItem(tr("One a line"), static_cast<int>(Prompts::Lines));
        prompts_->addItem(tr("Every combination of alternatives"),
                          static_cast<int>(Prompts::Combinations));
    }
    fields_->setObjectName(QStringLiteral("places"));
    lines_->setObjectName(QStringLiteral("lines"));
    lines_->setPlaceholderText(tr("One prompt a line"));
    lines_->setAccessibleName(lines_->placeholderText());
    lines_->setTabChangesFocus(true);
    lines_->setMinimumSize(kLinesWidth, kLinesHeight);
    open_->setObjectName(QStringLiteral("openList"));
    count_->setObjectName(QStringLiteral("count"));
    count_->setRange(1, kMost);
    count_->setValue(kUsual);
    count_->selectAll();
    seeds_->setObjectName(QStringLiteral("seeds"));
    seeds_->addItem(tr("A new one each time"), static_cast<int>(SeveralSeeds::Random));
    seeds_->addItem(tr("One more each time"), static_cast<int>(SeveralSeeds::Counting));
    seeds_->addItem(tr("As the nodes say"), static_cast<int>(SeveralSeeds::AsNodesSet));
    message_->setObjectName(QStringLiteral("told"));
    message_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    run_ = buttons->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
    run_->setObjectName(QStringLiteral("run"));
    run_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form_ = new QFormLayout(this);
    form_->setHorizontalSpacing(Theme::space(3));
    form_->setVerticalSpacing(Theme::space(2));
    form_->addRow(tr("Times"), count_);
    form_->addRow(tr("Prompts"), prompts_);
    form_->addRow(tr("Into"), fields_);
    form_->addRow(lines_);
    form_->addRow(open_);
    form_->addRow(tr("Seed"), seeds_);
    form_->addRow(message_);
    form_->addRow(buttons);
    QWidget* before = nullptr;  // Tab goes down the form
    for (QWidget* field :
         std::initializer_list<QWidget*>{count_, prompts_, fields_, lines_, open_, seeds_, run_}) {
        if (before) {
            setTabOrder(before, field);
        }
        before = field;
    }
    setTabOrder(run_, buttons->button(QDialogButtonBox::Cancel));
}

void SeveralDialog::showChoice() {
    const Prompts chosen = prompts();
    const auto setShown = [&](QWidget* field, bool isShown) {
        field->setVisible(isShown);
        if (QWidget* label = form_->labelForField(field)) {
            label->setVisible(isShown);
        }
    };
    setShown(count_, chosen == Prompts::Same);
    setShown(fields_, chosen == Prompts::Lines);
    setShown(lines_, chosen == Prompts::Lines);
    setShown(open_, chosen == Prompts::Lines);
    if (chosen == Prompts::Lines) {
        lines_->setFocus();
    } else if (chosen == Prompts::Same) {
        count_->setFocus();
    }
    showCount();
    adjustSize();
}

void SeveralDialog::showCount() {
    const Prompts chosen = prompts();
    message_->setVisible(chosen != Prompts::Same);
    if (chosen == Prompts::Lines) {
        const qsizetype count = lines().size();
        message_->setText(count > kMost
                              ? tr("%1 prompts: the first %2 run.")
                                    .arg(figure(static_cast<qulonglong>(count)), figure(kMost))
                              : tr("%n runs", nullptr, static_cast<int>(count)));
        run_->setEnabled(count > 0);
    } else if (chosen == Prompts::Combinations) {
        message_->setText(combinations_.isEmpty() ? tr("Counting...") : combinations_);
        run_->setEnabled(canCombine_);
    } else {
        run_->setEnabled(true);
    }
}

void SeveralDialog::countCombinations() {
    struct Counted {
        uint64_t count = 0;
        Issues issues;
    };

    later(
        this,
        [document = document_, &catalog = catalog_, wildcards = wildcards_] {
            Counted counted;
            counted.count =
                PromptCombinations(document, catalog, wildcards->lists).count(counted.issues);
            return counted;
        },
        [this](const Counted& counted) {
            canCombine_ = counted.issues.empty() && counted.count > 1;
            if (!counted.issues.empty()) {
                combinations_ = QString::fromStdString(counted.issues.front().message.str());
            } else if (counted.count <= 1) {
                combinations_ =
                    tr("No prompt has alternatives yet: {red|blue} gives two runs, "
                       "__name__ one for each line of a wildcard.");
            } else if (counted.count > kMost) {
                combinations_ = counted.count == PromptChoices::kEndless
                                    ? tr("More combinations than can be counted: the first %1 run.")
                                          .arg(figure(kMost))
                                    : tr("%1 combinations: the first %2 run.")
                                          .arg(figure(counted.count), figure(kMost));
            } else {
                combinations_ =
                    tr("%n combinations, one run each", nullptr, static_cast<int>(counted.count));
            }
            showCount();
        });
}

void SeveralDialog::openFile() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a list of prompts"), {}, tr("Texts (*.txt *.csv *.md);;All files (*)"));
    if (path.isEmpty()) {
        return;
    }
    later(
        this,
        [path] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) && file.size() <= kLargestList
                       ? QString::fromUtf8(file.readAll())
                       : QString();
        },
        [this](const QString& text) {
            if (text.isEmpty()) {
                message_->setText(
                    tr("That file cannot be read as a list: it is empty, larger than "
                       "4 MiB, or locked."));
            } else {
                lines_->setPlainText(text);
            }
        });
}

int SeveralDialog::count() const {
    return count_->value();
}

SeveralSeeds SeveralDialog::seeds() const {
    return static_cast<SeveralSeeds>(seeds_->currentData().toInt());
}

SeveralDialog::Prompts SeveralDialog::prompts() const {
    return static_cast<Prompts>(prompts_->currentData().toInt());
}

PromptField SeveralDialog::field() const {
    return targets_.at(static_cast<size_t>(fields_->currentIndex()));
}

QStringList SeveralDialog::lines() const {
    QStringList lines;
    for (const QString& line : lines_->toPlainText().split(QLatin1Char('\n'))) {
        if (const QString trimmed = line.trimmed(); !trimmed.isEmpty()) {
            lines << trimmed;
        }
    }
    return lines;
}

}  // namespace lowtide::ui
