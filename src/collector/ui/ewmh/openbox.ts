/**
 * Openbox without anything of its own: no frames, menus, keys or mouse buttons, and one desktop. It does what programs ask
 * for (fullscreen, maximised, iconified, in front), gives a new window the keyboard, and puts it at the upper left, beside
 * the others where there is room.
 */
export const openboxConfiguration = `<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
  <placement><policy>Smart</policy><center>no</center></placement>
  <theme><keepBorder>no</keepBorder><animateIconify>no</animateIconify></theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <resize><popupShow>Never</popupShow></resize>
  <keyboard/>
  <mouse/>
  <applications><application class="*"><decor>no</decor></application></applications>
</openbox_config>
`;
