/* Reports a Qt event loop (Qt 5 and 6) while it handles events. Header only; link with -lstillpoint_idle.
 *
 *   QApplication app(argc, argv);
 *   stillpoint::trackQt();
 *   return app.exec();
 */
#ifndef STILLPOINT_IDLE_QT_H
#define STILLPOINT_IDLE_QT_H

#include <QAbstractEventDispatcher>
#include <QCoreApplication>
#include <cstring>

#include "stillpoint_idle.h"

namespace stillpoint {

/* Begins with the first event after a block: Qt's "awake" alone comes only after the first events were handled. */
class QtWatch : public QObject {
 public:
  QtWatch(QObject *parent, const char *resource) : QObject(parent), name(resource), ticket(sp_idle_begin(resource)) {}
  void begin() {
    if (!ticket) ticket = sp_idle_begin(name);
  }
  void block() {
    sp_idle_end(ticket);
    ticket = 0;
  }
  bool eventFilter(QObject *, QEvent *) override {
    begin();
    return false;
  }

 private:
  const char *name;
  uint64_t ticket;
};

/* Call once, in the thread of the event loop, after the application object exists. False: there is none yet.
 * Where Qt runs on GLib the loop is reported as "glib", as sp_idle_track_glib does; elsewhere as `name`. */
inline bool trackQt(const char *name = "qt") {
  QAbstractEventDispatcher *dispatcher = QAbstractEventDispatcher::instance();
  QCoreApplication *application = QCoreApplication::instance();
  if (!dispatcher || !application) return false;
  if (std::strstr(dispatcher->metaObject()->className(), "Glib")) return sp_idle_track_glib(0) == 0;
  QtWatch *watch = new QtWatch(application, name);
  QObject::connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, watch, [watch] { watch->block(); });
  QObject::connect(dispatcher, &QAbstractEventDispatcher::awake, watch, [watch] { watch->begin(); });
  application->installEventFilter(watch);
  return true;
}

}  // namespace stillpoint

#endif /* STILLPOINT_IDLE_QT_H */
