#include "ui/editors/styles_dialog.hpp"

#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr QSize kStylesSize{640, 400};
constexpr int kNameFieldWidth = 280;

QString textsOf(const PromptStyle& style) {
    const QString prompt = QString::fromStdString(style.prompt);
    const QString negative = QString::fromStdString(style.negative);
    return negative.isEmpty()
               ? prompt
               : StylesDialog::tr("%1\n\nNegative prompt:\n%2").arg(prompt, negative);
}

}  // namespace

std::optional<QString> askStyleName(const StyleStore& store, const QString& name, QWidget* parent) {
    QDialog dialog(parent);
    dialog.setObjectName(QStringLiteral("styleName"));
    dialog.setWindowTitle(StylesDialog::tr("Name of the style"));
    auto* line = named("name", new QLineEdit(name, &dialog));
    line->setMinimumWidth(kNameFieldWidth);
    line->selectAll();
    auto* note = new QLabel(&dialog);
    note->setWordWrap(true);
    note->setText(StylesDialog::tr("{prompt} in a style stands for the prompt it is applied to."));
    note->setForegroundRole(QPalette::PlaceholderText);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
    QPushButton* ok = buttons->button(QDialogButtonBox::Ok);
    const auto check = [&store, name, ok, note, line] {
        const QString typed = line->text().trimmed();
        ok->setEnabled(!typed.isEmpty());
        const bool isTaken = typed != name && store.find(typed);
        ok->setText(isTaken ? StylesDialog::tr("Replace") : StylesDialog::tr("Save"));
        note->setText(
            isTaken
                ? StylesDialog::tr("There is a style of this name: it will be replaced.")
                : StylesDialog::tr("{prompt} in a style stands for the prompt it is applied to."));
    };
    QObject::connect(line, &QLineEdit::textChanged, &dialog, check);
    QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(&dialog);
    column->setSpacing(Theme::space(2));
    addAll(*column, {line, note, buttons});
    check();
    const bool isTaken = dialog.exec() == QDialog::Accepted && !line->text().trimmed().isEmpty();
    return isTaken ? std::optional(line->text().trimmed()) : std::nullopt;
}

StylesDialog::StylesDialog(StyleStore& store, QWidget* parent)
    : QDialog(parent),
      store_(store),
      list_(named("styleList", new QListWidget(this))),
      texts_(named("styleTexts", new QPlainTextEdit(this))),
      message_(named("told", new QLabel(this))) {
    setObjectName(QStringLiteral("styles"));
    setWindowTitle(tr("Styles"));
    resize(kStylesSize);
    build();
    connect(&store_, &StyleStore::changed, this, &StylesDialog::show);
    const auto showMessage = [this](const QString& sentence) {
        message_->setText(sentence);
        message_->show();
    };
    connect(&store_, &StyleStore::failed, this, showMessage);
    connect(&store_, &StyleStore::imported, this, [showMessage](int styles) {
        showMessage(tr("%n styles were imported.", nullptr, styles));
    });
    connect(list_, &QListWidget::currentRowChanged, this, &StylesDialog::showTexts);
    show();
}

void StylesDialog::build() {
    texts_->setReadOnly(true);
    message_->setWordWrap(true);
    message_->hide();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    const auto add = [&](const QString& text, const char* name, void (StylesDialog::*act)()) {
        QPushButton* button = named(name, buttons->addButton(text, QDialogButtonBox::ActionRole));
        connect(button, &QPushButton::clicked, this, act);
        return button;
    };
    rename_ = add(tr("Rename..."), "rename", &StylesDialog::rename);
    delete_ = add(tr("Delete"), "delete", &StylesDialog::remove);
    add(tr("Import..."), "import", &StylesDialog::import)
        ->setToolTip(tr("Adds the styles of a styles.csv of Automatic1111, or of a list in JSON "
                        "as Fooocus has it"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::space(2));
    addAll(*column, {{rowOf(2, {{list_, 1}, {texts_, 2}}), 1}, message_, buttons});
}

QString StylesDialog::current() const {
    return list_->currentItem() ? list_->currentItem()->text() : QString();
}

void StylesDialog::show() {
    const QString before = current();
    list_->clear();
    for (const PromptStyle& style : store_.styles()) {
        list_->addItem(QString::fromStdString(style.name));
    }
    const QList<QListWidgetItem*> same = list_->findItems(before, Qt::MatchExactly);
    list_->setCurrentItem(same.isEmpty() ? list_->item(0) : same.front());
    showTexts();
}

void StylesDialog::showTexts() {
    const PromptStyle* style = store_.find(current());
    texts_->setPlainText(style ? textsOf(*style)
                               : tr("No style is saved yet. Save the texts of a prompt as one, or "
                                    "import a styles.csv."));
    rename_->setEnabled(style != nullptr);
    delete_->setEnabled(style != nullptr);
}

void StylesDialog::rename() {
    const QString from = current();
    if (const std::optional<QString> to = askStyleName(store_, from, this); to && *to != from) {
        store_.rename(from, *to);
    }
}

void StylesDialog::remove() {
    store_.remove(current());
}

void StylesDialog::import() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Import styles"), {}, tr("Styles (*.csv *.json);;All files (*)"));
    if (!path.isEmpty()) {
        store_.import(path);
    }
}

}  // namespace lowtide::ui
