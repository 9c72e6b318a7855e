#include "ui/panels/gallery_filter.hpp"

#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QComboBox>
#include <QDateTime>
#include <QLineEdit>
#include <QShortcut>
#include <QSignalBlocker>
#include <QToolButton>

namespace lowtide::ui {

namespace {

constexpr int kTypedMilliseconds = 150;
constexpr int kChooserWidth = 150;
constexpr int kChooserLetters = 7;

/// Days before today from which on images are shown, and how many days.
struct Days {
    int before = 0;
    int count = 0;  ///< 0: until now
};

constexpr Days kDays[] = {{0, 0}, {1, 1}, {6, 0}, {29, 0}};

int64_t startOf(const QDate& day) {
    return day.startOfDay().toMSecsSinceEpoch();
}

void fillChooser(QComboBox& box, const QStringList& values) {
    QList<std::pair<QString, QVariant>> entries;
    for (const QString& value : values) {
        entries.emplaceBack(value, value);
    }
    refill(box, entries);
}

}  // namespace

GalleryFilter::GalleryFilter(QWidget* parent) : QWidget(parent) {
    words_ = makeSearch(tr("Search images"), "galleryWords", this);
    words_->setToolTip(
        tr("Words of the prompt, the title, the models or the file's name. Down goes to "
           "the images."));
    words_->setMinimumWidth(kChooserWidth);
    new QShortcut(Qt::Key_Down, words_, this, &GalleryFilter::left, Qt::WidgetShortcut);
    model_ = makeChooser(tr("Model"), "galleryModel", kChooserLetters, this);
    model_->addItem(tr("All models"), QString());
    graph_ = makeChooser(tr("Graph or preset"), "galleryGraph", kChooserLetters, this);
    graph_->addItem(tr("All graphs"), QString());
    when_ = makeChooser(tr("When it was made"), "galleryWhen", kChooserLetters, this);
    when_->addItems(
        {tr("At any time"), tr("Today"), tr("Yesterday"), tr("Last 7 days"), tr("Last 30 days")});
    starred_ = makeIconButton("star", tr("Only starred images"), "galleryStarred", this);
    starred_->setCheckable(true);
    typed_.setSingleShot(true);
    typed_.setInterval(kTypedMilliseconds);
    connect(words_, &QLineEdit::textChanged, &typed_, qOverload<>(&QTimer::start));
    connect(&typed_, &QTimer::timeout, this, &GalleryFilter::changed);
    for (QComboBox* box : {model_, graph_, when_}) {
        box->setMaximumWidth(kChooserWidth);
        connect(box, &QComboBox::currentIndexChanged, this, &GalleryFilter::changed);
    }
    connect(starred_, &QToolButton::toggled, this, [this](bool isOn) {
        starred_->setIcon(Theme::current().icon(isOn ? "star-filled" : "star"));
        Q_EMIT changed();
    });
    row_ = new FlowRow(this);
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(Theme::space(2));
    for (QWidget* each : std::initializer_list<QWidget*>{words_, model_, graph_, when_, starred_}) {
        row_->addWidget(each);
    }
}

void GalleryFilter::addAtEnd(const QList<QWidget*>& widgets) {
    row_->addGroup(widgets);
}

void GalleryFilter::setChoices(const QStringList& models, const QStringList& graphs) {
    fillChooser(*model_, models);
    fillChooser(*graph_, graphs);
}

ImageFilter GalleryFilter::filter() const {
    ImageFilter filter;
    filter.words = words_->text().trimmed();
    filter.model = model_->currentData().toString();
    filter.graph = graph_->currentData().toString();
    filter.isStarred = starred_->isChecked();
    if (const int chosen = when_->currentIndex(); chosen > 0) {
        const Days& days = kDays[chosen - 1];
        const QDate first = QDate::currentDate().addDays(-days.before);
        filter.since = startOf(first);
        filter.until = days.count > 0 ? startOf(first.addDays(days.count)) : 0;
    }
    return filter;
}

bool GalleryFilter::isOpen() const {
    return words_->text().trimmed().isEmpty() && model_->currentIndex() == 0 &&
           graph_->currentIndex() == 0 && when_->currentIndex() == 0 && !starred_->isChecked();
}

void GalleryFilter::clear() {
    for (QComboBox* box : {model_, graph_, when_}) {
        const QSignalBlocker quiet(box);
        box->setCurrentIndex(0);
    }
    {
        const QSignalBlocker quiet(starred_);
        starred_->setChecked(false);
    }
    starred_->setIcon(Theme::current().icon("star"));
    words_->clear();
    typed_.stop();
    Q_EMIT changed();
}

void GalleryFilter::focusWords() {
    words_->setFocus(Qt::ShortcutFocusReason);
    words_->selectAll();
}

}  // namespace lowtide::ui
