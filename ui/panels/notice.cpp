#include "ui/panels/notice.hpp"

#include "ui/theme/theme.hpp"

#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

Notice::Notice(const char* name, QWidget* parent)
    : QFrame(parent), text_(new QLabel(this)), buttons_(nullptr) {
    setObjectName(name);
    text_->setObjectName("text");
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::space(3), Theme::space(2), Theme::space(3), Theme::space(2));
    layout->setSpacing(Theme::space(2));
    layout->addWidget(text_);
    hide();
}

void Notice::tell(Tone tone, const QString& text, std::vector<Fix> fixes) {
    const bool isSame = tone == tone_ && text == text_->text() &&
                        std::equal(fixes.begin(),
                                   fixes.end(),
                                   fixes_.begin(),
                                   fixes_.end(),
                                   [](const Fix& a, const Fix& b) { return a.label == b.label; });
    fixes_ = std::move(fixes);  // of the graph as it is now
    if (isSame) {
        return;
    }
    tone_ = tone;
    text_->setText(text);
    if (buttons_) {
        buttons_->hide();
        buttons_->deleteLater();
        buttons_ = nullptr;
    }
    if (!fixes_.empty()) {
        buttons_ = new QWidget(this);
        auto* rows = new QVBoxLayout(buttons_);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setSpacing(Theme::space(1));
        for (size_t i = 0; i < fixes_.size(); ++i) {
            auto* button = new QPushButton(fixes_[i].label, buttons_);
            button->setObjectName(QString("fix_%1").arg(i));
            connect(button, &QPushButton::clicked, this, [this, i] {
                const Fix chosen = fixes_.at(i);  // what it does may bring others
                Q_EMIT fixChosen(chosen);
            });
            rows->addWidget(button);
        }
        layout()->addWidget(buttons_);
    }
    setVisible(!text.isEmpty());
    update();
}

void Notice::paintEvent(QPaintEvent*) {
    const char* ground = tone_ == Tone::Error     ? "error.soft"
                         : tone_ == Tone::Warning ? "warning.soft"
                                                  : "info.soft";
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().colour(ground));
    painter.drawRoundedRect(rect(), Theme::space(1), Theme::space(1));
}

}  // namespace lowtide::ui
