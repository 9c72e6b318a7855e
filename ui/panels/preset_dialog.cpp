#include "ui/panels/preset_dialog.hpp"

#include "ui/panels/preset_cards.hpp"
#include "ui/theme/theme.hpp"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr int kDialogPicture = 128;
constexpr int kDescriptionHeight = 84;
constexpr int kDialogWidth = 440;

}  // namespace

PresetDialog::PresetDialog(const PresetText& proposed, const QImage& thumbnail, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("presetDialog"));
    setWindowTitle(tr("Save as preset"));
    title_ = new QLineEdit(proposed.title, this);
    title_->setObjectName(QStringLiteral("title"));
    title_->selectAll();
    title_->setFocus(Qt::OtherFocusReason);
    tags_ = new QLineEdit(proposed.tags.join(QStringLiteral(", ")), this);
    tags_->setObjectName(QStringLiteral("tags"));
    tags_->setPlaceholderText(tr("separated by commas"));
    description_ = new QPlainTextEdit(proposed.description, this);
    description_->setObjectName(QStringLiteral("description"));
    description_->setMaximumHeight(kDescriptionHeight);
    description_->setTabChangesFocus(true);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(Theme::space(2));
    form->setHorizontalSpacing(Theme::space(3));
    if (!thumbnail.isNull()) {
        auto* picture = new QLabel(this);
        PresetEntry shown;
        shown.thumbnail = thumbnail;
        picture->setPixmap(cardPicture(shown, kDialogPicture, devicePixelRatioF()));
        form->addRow(tr("Picture"), picture);
    }
    form->addRow(tr("Title"), title_);
    form->addRow(tr("Tags"), tags_);
    form->addRow(tr("Description"), description_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    save_ = buttons->button(QDialogButtonBox::Save);
    save_->setObjectName(QStringLiteral("save"));
    save_->setEnabled(!proposed.title.trimmed().isEmpty());
    connect(title_, &QLineEdit::textChanged, this, [this](const QString& title) {
        save_->setEnabled(!title.trimmed().isEmpty());
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(5), Theme::space(5), Theme::space(5), Theme::space(5));
    column->setSpacing(Theme::space(4));
    column->addLayout(form);
    column->addWidget(buttons);
    setMinimumWidth(kDialogWidth);
}

PresetText PresetDialog::text() const {
    QStringList tags;
    for (const QString& tag : tags_->text().split(QLatin1Char(','))) {
        if (const QString plain = tag.simplified(); !plain.isEmpty() && !tags.contains(plain)) {
            tags.push_back(plain);
        }
    }
    return {.title = title_->text().trimmed(),
            .description = description_->toPlainText().trimmed(),
            .tags = tags};
}

}  // namespace lowtide::ui
