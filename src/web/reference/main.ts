import '../parts/theme.css'
