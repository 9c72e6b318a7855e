#include "ui/editors/prompt_footer.hpp"

#include "ui/theme/theme.hpp"

#include <QHBoxLayout>

namespace lowtide::ui {

namespace {

QToolButton* footerButton(const char* name, const QString& text, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QString::fromLatin1(name));
    button->setText(text);
    button->setFont(Theme::current().font("small"));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);  // keys reach them from within the prompt
    return button;
}

}  // namespace

PromptFooter::PromptFooter(QWidget* parent)
    : QWidget(parent),
      counts_(new QLabel(this)),
      read_(footerButton("readWeights", tr("Read weights"), this)),
      styles_(footerButton("promptStyles", tr("Styles"), this)),
      past_(footerButton("promptPast", tr("Earlier"), this)) {
    counts_->setObjectName(QStringLiteral("tokens"));
    counts_->setFont(Theme::current().font("small"));
    counts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    read_->setToolTip(
        tr("(word:1.2) and BREAK are read as words here. Sets Weights of this node to A1111."));
    read_->setAccessibleDescription(read_->toolTip());
    read_->hide();
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Theme::space(1), 0, 0, 0);
    row->setSpacing(Theme::space(1));
    row->addWidget(counts_, 1);
    row->addWidget(read_);
    row->addWidget(styles_);
    row->addWidget(past_);
    connect(read_, &QToolButton::clicked, this, &PromptFooter::readAsked);
    connect(styles_, &QToolButton::clicked, this, &PromptFooter::stylesAsked);
    connect(past_, &QToolButton::clicked, this, &PromptFooter::pastAsked);
    connect(&Themed::instance(), &Themed::changed, this, &PromptFooter::colour);
    setCounts({});
    setKeys({});
}

void PromptFooter::setKeys(const PromptLibrary::Keys& keys) {
    const auto tip = [](QToolButton* button, const QString& text, const QString& key) {
        button->setToolTip(key.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, key));
    };
    tip(styles_, tr("Apply a style, save this text as one, change them"), keys.styles);
    tip(past_, tr("Earlier prompts, from the runs"), keys.past);
}

void PromptFooter::setCounts(const CountText& counts) {
    isCut_ = counts.isCut;
    colour();
    counts_->setText(counts.text);
    counts_->setToolTip(counts.tooltip);
}

void PromptFooter::colour() {
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText,
                     Theme::current().colour(isCut_ ? "warning" : "text.muted"));
    counts_->setPalette(colours);
}

}  // namespace lowtide::ui
